import { errorMessage, isJsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { checkException } from '../check/index.ts';
import { Need } from '../context/index.ts';
import { compileKindException, isKindException, type KindException } from '../kinds/index.ts';
import { compileRuleMatch, compileWildcard } from '../match/index.ts';
import type { ExceptionProgram, PolicyProgram } from '../program.ts';
import type { Run } from '../run/run.ts';
import type { MatchBlock, PodSecurityExclusion, PolicyIssue } from '../types.ts';
import { compileConditions } from './conditions.ts';
import { compileExceptionReads } from './reads.ts';

/** A compiled PolicyException: which rules it covers, and which requests it applies to. */
export interface CompiledException extends ExceptionProgram {
  readonly key: string;
  readonly podSecurity: readonly PodSecurityExclusion[];
  /** Whether it names the policy, and the rule of it. */
  covers(policy: Pick<PolicyProgram, 'form' | 'policy' | 'name' | 'namespace'>, rule: string): boolean;
  applies(run: Run): boolean;
  /** Set for exceptions of `policies.kyverno.io`, which the policies they cover judge themselves. */
  readonly cel?: KindException;
}

interface ExceptionSpec {
  readonly exceptions?: readonly { readonly policyName: string; readonly ruleNames?: readonly string[] }[];
  readonly match?: MatchBlock;
  readonly conditions?: unknown;
  readonly podSecurity?: readonly PodSecurityExclusion[];
}

/** The same exception, restricted to policies of this namespace. */
export function confineException(program: ExceptionProgram, namespace: string): ExceptionProgram {
  const compiled = program as CompiledException;
  const confined: CompiledException = {
    ...compiled,
    covers: (policy, rule) => policy.namespace === namespace && compiled.covers(policy, rule),
  };
  return confined;
}

/** Checks and compiles an exception; never throws. */
export function compileException(object: unknown): {
  readonly program: CompiledException | undefined;
  readonly issues: readonly PolicyIssue[];
} {
  if (isKindException(object)) return compileKindException(object);
  const refused = (path: string, message: string) => ({ program: undefined, issues: [issue(path, message)] });
  if (!isJsonObject(object) || object['kind'] !== 'PolicyException' || !isJsonObject(object['spec']))
    return refused('', 'not a PolicyException');
  if (!isJsonObject(object['metadata'])) return refused('metadata', 'must be an object');
  const spec = object['spec'] as unknown as ExceptionSpec;
  if (!Array.isArray(spec.exceptions) || spec.exceptions.length === 0)
    return refused('spec.exceptions', 'at least one policy must be named');
  if (!isJsonObject(spec.match)) return refused('spec.match', 'match is required');
  const issues = checkException(object);
  if (issues.some(({ severity }) => severity === 'error')) {
    return { program: undefined, issues: issues.map(({ path, message }) => issue(path, message)) };
  }
  try {
    return { program: build(object as unknown as KubeObject, spec, spec.match), issues: [] };
  } catch (thrown) {
    return refused('spec', errorMessage(thrown));
  }
}

const issue = (path: string, message: string): PolicyIssue => ({
  code: 'policy-exception-invalid',
  path,
  message,
  severity: 'error',
});

function build(exception: KubeObject, spec: ExceptionSpec, match: MatchBlock): CompiledException {
  const rules = (spec.exceptions ?? []).map(({ policyName, ruleNames = [] }) => ({
    policyName,
    matchers: ruleNames.map(compileWildcard),
  }));
  const matches = compileRuleMatch({ match, needsUser: true });
  const conditions = compileConditions(spec.conditions, 'exception.conditions');
  const { name = '', namespace } = exception.metadata;
  return {
    exception,
    policies: rules.map(({ policyName }) => policyName),
    reads: compileExceptionReads(match, spec.conditions),
    key: namespace ? `${namespace}/${name}` : name,
    podSecurity: spec.podSecurity ?? [],
    covers: ({ form, name }, rule) =>
      form === 'rules' &&
      rules.some(({ policyName, matchers }) => policyName === name && matchers.some((m) => m(rule))),
    applies(run) {
      if (matches(run.request) !== undefined) return false;
      try {
        return conditions(run).hold;
      } catch (thrown) {
        if (thrown instanceof Need) throw thrown;
        // An exception that cannot be evaluated does not apply.
        return false;
      }
    },
  };
}
