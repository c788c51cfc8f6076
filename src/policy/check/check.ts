import { isJsonObject } from '../../base/index.ts';
import { autogenAnnotation, hasContent } from '../autogen/index.ts';
import type { PolicyIssue, PolicyObject } from '../types.ts';
import { checkUserVariables } from './background.ts';
import { metadataShape, policyShape } from './fields.ts';
import { cut, Issues } from './issues.ts';
import { checkSize, maxRules } from './limits.ts';
import { checkOverrides } from './overrides.ts';
import { checkRule } from './rule.ts';
import type { PolicyFacts } from './rule-context.ts';
import { builtInScope, type ScopeOf } from './scope.ts';
import { checkShape } from './shape.ts';

interface CheckOptions {
  /** Overrides `spec.background`: false skips the checks that apply only to background scans. */
  readonly background?: boolean;
  /** Used before the table of built-in kinds; a live cluster also knows custom resources. */
  readonly isClusterScoped?: ScopeOf;
}

/**
 * All issues of a policy; empty for a valid one. Never throws, for any input. For a policy with a wrong structure, only
 * the structural issues are reported, because the other checks rely on the structure.
 */
export function checkPolicy(policy: unknown, options: CheckOptions = {}): readonly PolicyIssue[] {
  const issues = new Issues();
  if (!checkSize(policy, issues) || !checkKind(policy, issues)) return issues.list;
  checkShape(policy, policyShape, '', issues);
  checkMetadata(policy, issues);
  if (!issues.hasErrors) checkContents(policy as unknown as PolicyObject, options, issues);
  return issues.list;
}

function checkKind(policy: unknown, issues: Issues): policy is Readonly<Record<string, unknown>> {
  if (!isJsonObject(policy)) {
    issues.error('policy-field-type', '', 'a policy must be an object');
    return false;
  }
  const { apiVersion, kind } = policy;
  if (typeof apiVersion === 'string' && apiVersion.startsWith('policies.kyverno.io/')) {
    issues.error('policy-unsupported', 'apiVersion', `${cut(String(kind))} of ${cut(apiVersion)} is not supported yet`);
    return false;
  }
  if (apiVersion !== 'kyverno.io/v1' && apiVersion !== 'kyverno.io/v2beta1') {
    issues.error('policy-field-value', 'apiVersion', 'must be kyverno.io/v1 or kyverno.io/v2beta1');
  }
  if (kind !== 'ClusterPolicy' && kind !== 'Policy') {
    issues.error('policy-field-value', 'kind', 'must be ClusterPolicy or Policy');
  }
  return !issues.hasErrors;
}

/** The API server validates other metadata, so unknown fields are not reported. */
function checkMetadata({ kind, metadata }: Readonly<Record<string, unknown>>, issues: Issues): void {
  if (!isJsonObject(metadata)) {
    issues.error('policy-field-type', 'metadata', 'must be an object');
    return;
  }
  const { name, namespace, annotations, labels } = metadata;
  checkShape({ name, namespace, annotations, labels }, metadataShape, 'metadata', issues);
  if (!name && !metadata['generateName']) issues.error('policy-field-required', 'metadata.name', 'is required');
  if (typeof name === 'string' && name.length > 63) {
    issues.error('policy-name', 'metadata.name', `is ${name.length} characters long; at most 63 are allowed`);
  }
  if (kind === 'ClusterPolicy' && namespace) {
    issues.error('policy-scope', 'metadata.namespace', 'a ClusterPolicy has no namespace');
  }
}

function checkContents(policy: PolicyObject, options: CheckOptions, issues: Issues): void {
  const { metadata, spec } = policy;
  const rules = spec.rules ?? [];
  if (rules.length > maxRules) {
    issues.error('policy-limit', 'spec.rules', `${rules.length} rules are too many: at most ${maxRules} are allowed`);
    return;
  }
  const facts: PolicyFacts = {
    isNamespaced: policy.kind === 'Policy',
    namespace: policy.kind === 'Policy' ? (metadata.namespace ?? 'default') : '',
    background: options.background ?? spec.background ?? true,
    scopeOf: (apiVersion, kind) => options.isClusterScoped?.(apiVersion, kind) ?? builtInScope(apiVersion, kind),
  };
  checkAutogen(policy, issues);
  checkSpec(policy, facts, issues);
  checkNames(policy, issues);
  if (facts.background) checkUserVariables(policy, issues);
  for (const [i, rule] of rules.entries()) {
    checkRule({ rule, path: `spec.rules[${i}]`, issues, policy: facts }, spec);
  }
}

function checkAutogen({ metadata }: PolicyObject, issues: Issues): void {
  if (metadata.annotations?.[autogenAnnotation] !== 'all') return;
  issues.error(
    'policy-autogen',
    `metadata.annotations["${autogenAnnotation}"]`,
    "Autogen annotation does not support 'all' anymore, remove the annotation or set it to a valid value",
  );
}

function checkNames({ spec }: PolicyObject, issues: Issues): void {
  const names = new Set<string>();
  for (const [i, { name }] of (spec.rules ?? []).entries()) {
    const path = `spec.rules[${i}].name`;
    if (name === '') issues.error('policy-rule-name', path, 'is required');
    else if (names.has(name)) issues.error('policy-rule-name', path, `Duplicate rule name: '${cut(name)}'`);
    names.add(name);
  }
}

function checkSpec({ spec }: PolicyObject, facts: PolicyFacts, issues: Issues): void {
  if (spec.useServerSideApply) {
    const message = 'has no effect yet: generated objects are replaced as a whole when they are not as wanted';
    issues.warn('policy-unsupported', 'spec.useServerSideApply', message);
  }
  const webhook = spec.webhookConfiguration ?? {};
  const bothWays = (old: string, current: string) =>
    issues.error('policy-field-conflict', `spec.${old}`, `remove the deprecated field and use ${current} instead`);
  if (spec.webhookTimeoutSeconds != null && webhook['timeoutSeconds'] != null) {
    bothWays('webhookTimeoutSeconds', 'spec.webhookConfiguration.timeoutSeconds');
  }
  if (spec.failurePolicy != null && webhook['failurePolicy'] != null) {
    bothWays('failurePolicy', 'spec.webhookConfiguration.failurePolicy');
  }
  if (spec.generateExistingOnPolicyUpdate != null) {
    bothWays('generateExistingOnPolicyUpdate', 'generate.generateExisting');
  }
  checkTimeout(spec.webhookTimeoutSeconds, 'spec.webhookTimeoutSeconds', issues);
  checkTimeout(webhook['timeoutSeconds'] as number | undefined, 'spec.webhookConfiguration.timeoutSeconds', issues);
  checkProcessing(spec, issues);
  for (const [i, { mutate }] of (spec.rules ?? []).entries()) {
    const onUpdate = spec.mutateExistingOnPolicyUpdate || mutate?.mutateExistingOnPolicyUpdate;
    if (onUpdate && hasContent(mutate) && !mutate?.targets?.length) {
      issues.error(
        'policy-field-required',
        `spec.rules[${i}].mutate.targets`,
        'has to be specified when mutateExistingOnPolicyUpdate is set',
      );
    }
  }
  const overrides = spec.validationFailureActionOverrides ?? [];
  const path = 'spec.validationFailureActionOverrides';
  if (!facts.isNamespaced) checkOverrides(overrides, path, issues);
  else if (overrides.length > 0) issues.error('policy-overrides', path, 'is supported only with ClusterPolicy');
}

function checkTimeout(seconds: number | null | undefined, path: string, issues: Issues): void {
  if (seconds == null || (seconds >= 1 && seconds <= 30)) return;
  issues.error('policy-field-value', path, 'the timeout value must be between 1 and 30 seconds');
}

function checkProcessing({ admission, background, rules }: PolicyObject['spec'], issues: Issues): void {
  if (admission !== false) return;
  if (background === false) {
    issues.error('policy-processing', 'spec', 'disabling both admission and background processing is not allowed');
  }
  const needsAdmission = ({ mutate, generate, verifyImages }: NonNullable<typeof rules>[number]) =>
    hasContent(mutate) || hasContent(generate, ['clone', 'cloneList']) || !!verifyImages?.length;
  if (rules?.some(needsAdmission)) {
    issues.error(
      'policy-processing',
      'spec.admission',
      'disabling admission processing is only allowed with validation policies',
    );
  }
}
