import { errorMessage } from '../../base/index.ts';
import { expandRules } from '../autogen/index.ts';
import { checkPolicy } from '../check/index.ts';
import type { CompileResult, PolicyProgram } from '../program.ts';
import type { PolicyIssue, PolicyObject } from '../types.ts';
import { type CompiledRule, compileRule } from './rule.ts';

export interface CompiledPolicy extends PolicyProgram {
  readonly rules: readonly CompiledRule[];
  readonly namespace: string;
}

/** Checks and compiles a policy; each issue names its field. */
export function compilePolicy(object: unknown): CompileResult {
  const issues = checkPolicy(object);
  if (issues.some(({ severity }) => severity === 'error')) return { program: undefined, issues };
  const policy = object as PolicyObject;
  try {
    return { program: build(policy), issues };
  } catch (thrown) {
    const issue: PolicyIssue = {
      code: 'policy-invalid',
      path: 'spec',
      message: errorMessage(thrown),
      severity: 'error',
    };
    return { program: undefined, issues: [...issues, issue] };
  }
}

function build(policy: PolicyObject): CompiledPolicy {
  const { name = '', namespace } = policy.metadata;
  const isNamespaced = policy.kind === 'Policy';
  return {
    policy,
    key: isNamespaced ? `${namespace ?? 'default'}/${name}` : name,
    namespace: isNamespaced ? (namespace ?? 'default') : '',
    applyOne: policy.spec.applyRules === 'One',
    rules: expandRules(policy).map((expanded) => compileRule(policy, expanded)),
  };
}
