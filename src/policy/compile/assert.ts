import { type Bindings, missing } from '../../jmespath/index.ts';
import { AssertionError, type AssertionOptions, compileAssertion, type Finding } from '../assert/index.ts';
import { spend } from '../evaluate/budget.ts';
import { errored, failed, type MaybeOutcome, pass } from '../evaluate/outcome.ts';
import type { Run } from '../evaluate/run.ts';
import type { PolicyRequest } from '../request.ts';
import type { RuleSpec } from '../types.ts';

/** Further violations are only counted: one object can have thousands. */
const maxTold = 20;

/** `validate.assert`: an assertion tree held against the request. */
export function compileAssertCheck(rule: string, { validate, context }: RuleSpec): (run: Run) => MaybeOutcome {
  const assertion = compileAssertion(validate?.assert);
  const names: ReadonlySet<string> = new Set((context ?? []).map(({ name }) => name));
  const passed = pass(`Validation rule '${rule}' passed.`);
  return (run) => {
    const told: Finding[] = [];
    let untold = 0;
    const { trace } = run;
    const bindings: Bindings = { get: (name) => (names.has(name) ? run.scope.get(name) : missing) };
    const options: AssertionOptions = {
      environment: { ...run.environment, bindings },
      spend: (units) => spend(run, units),
      violation: (describe) => {
        if (told.length < maxTold) told.push(describe());
        else untold++;
      },
      trace: trace && ((finding) => trace({ kind: 'assertion', ...finding })),
    };
    try {
      assertion(subjectOf(run.request), options);
    } catch (thrown) {
      if (!(thrown instanceof AssertionError)) throw thrown;
      return errored(`failed to apply assertion: ${thrown.message}`);
    }
    return told.length === 0 ? passed : failed(render(told, untold), told[0]?.path);
  };
}

/** What the tree is held against. An object that is not there is an empty one, as a background scan has nobody who asks. */
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

function render(told: readonly Finding[], untold: number): string {
  const lines = told.map(({ path, message }) => `${path}: ${message}`);
  return [...lines, ...(untold > 0 ? [`and ${untold} more`] : [])].join('; ');
}
