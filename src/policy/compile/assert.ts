import { type Bindings, missing } from '../../jmespath/index.ts';
import { AssertionError, type AssertionOptions, compileAssertion, type Finding } from '../assert/index.ts';
import type { PolicyRequest } from '../request.ts';
import { spend } from '../run/budget.ts';
import { errored, failed, type MaybeOutcome, pass } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { RuleSpec } from '../types.ts';

/** Further violations are only counted, because one object can have thousands. */
const maxReported = 20;

/** `validate.assert`: compares the request with an assertion tree. */
export function compileAssertCheck(rule: string, { validate, context }: RuleSpec): (run: Run) => MaybeOutcome {
  const assertion = compileAssertion(validate?.assert);
  const names: ReadonlySet<string> = new Set((context ?? []).map(({ name }) => name));
  const passed = pass(`Validation rule '${rule}' passed.`);
  return (run) => {
    const reported: Finding[] = [];
    let omitted = 0;
    const { trace } = run;
    const bindings: Bindings = { get: (name) => (names.has(name) ? run.scope.get(name) : missing) };
    const options: AssertionOptions = {
      environment: { ...run.environment, bindings },
      spend: (units) => spend(run, units),
      violation: (describe) => {
        if (reported.length < maxReported) reported.push(describe());
        else omitted++;
      },
      trace: trace && ((finding) => trace({ kind: 'assertion', ...finding })),
    };
    try {
      assertion(subjectOf(run.request), options);
    } catch (thrown) {
      if (!(thrown instanceof AssertionError)) throw thrown;
      return errored(`failed to apply assertion: ${thrown.message}`);
    }
    return reported.length === 0 ? passed : failed(render(reported, omitted), reported[0]?.path);
  };
}

/** The value that the tree is compared with. A missing object, or the user of a background scan, is an empty map. */
function subjectOf({ object, oldObject, operation, kind, subresource, namespaceLabels, info }: PolicyRequest): object {
  return {
    object: object ?? {},
    oldObject: oldObject ?? {},
    operation,
    namespaceLabels,
    admissionOperation: info !== undefined,
    admissionInfo: {
      roles: info?.roles ?? [],
      clusterRoles: info?.clusterRoles ?? [],
      admissionUserInfo: info?.userInfo ?? {},
    },
    resourceKind: { ...kind, subResource: subresource },
  };
}

function render(reported: readonly Finding[], omitted: number): string {
  const lines = reported.map(({ path, message }) => `${path}: ${message}`);
  return [...lines, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join('; ');
}
