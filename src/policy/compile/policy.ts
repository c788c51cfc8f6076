import { errorMessage } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { expandRules } from '../autogen/index.ts';
import { checkPolicy } from '../check/index.ts';
import { checkKindPolicy, definitionOf, type KindPolicy } from '../kinds/index.ts';
import type { CompileResult, MatchCondition, PolicyProgram, PolicySettings } from '../program.ts';
import type { PolicyIssue, PolicyObject } from '../types.ts';
import { type CompiledRule, compileRule } from './rule.ts';

export interface CompiledPolicy extends PolicyProgram {
  readonly rules: readonly CompiledRule[];
}

/** Checks and compiles a policy; each issue names its field. */
export function compilePolicy(object: unknown, related: readonly KubeObject[] = []): CompileResult {
  const definition = definitionOf(object);
  const issues = definition ? checkKindPolicy(object, definition) : checkPolicy(object);
  if (issues.some(({ severity }) => severity === 'error')) return { program: undefined, issues };
  try {
    const program = definition ? definition.compile(object as KindPolicy, related) : build(object as PolicyObject);
    return { program, issues };
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
  const key = isNamespaced ? `${namespace ?? 'default'}/${name}` : name;
  return {
    policy,
    form: 'rules',
    name: key,
    key,
    source: 'kyverno',
    settings: settingsOf(policy),
    namespace: isNamespaced ? (namespace ?? 'default') : '',
    applyOne: policy.spec.applyRules === 'One',
    rules: expandRules(policy).map((expanded) => compileRule(policy, expanded)),
  };
}

interface WebhookConfiguration {
  readonly failurePolicy?: string;
  readonly timeoutSeconds?: number;
  readonly matchConditions?: readonly MatchCondition[];
}

function settingsOf({ spec }: PolicyObject): PolicySettings {
  const webhook = (spec.webhookConfiguration ?? {}) as WebhookConfiguration;
  return {
    admission: spec.admission !== false,
    background: spec.background !== false,
    emitWarning: spec.emitWarning === true,
    failurePolicy: (webhook.failurePolicy ?? spec.failurePolicy) === 'Ignore' ? 'Ignore' : 'Fail',
    timeoutSeconds: webhook.timeoutSeconds ?? spec.webhookTimeoutSeconds,
    matchConditions: webhook.matchConditions ?? [],
    matchPolicy: 'Equivalent',
    reinvocationPolicy: 'IfNeeded',
  };
}
