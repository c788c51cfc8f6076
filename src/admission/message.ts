import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RuleResult } from '../policy/index.ts';

/**
 * The message of a denied request, in Kyverno's form: the object, then policy, rule and message; a line for each policy
 * of expressions.
 */
export function renderRefusal(subject: KubeObject, results: readonly RuleResult[]): string {
  const lines = results.filter(({ policy }) => policy.form === 'cel').map(renderVerdict);
  const ofRules = results.filter(({ policy }) => policy.form === 'rules');
  return [...lines, ...(ofRules.length > 0 ? [renderRules(subject, ofRules)] : [])].join('\n');
}

/** `Policy require-labels failed: …`. */
const renderVerdict = ({ policy, status, message }: RuleResult) =>
  status === 'error'
    ? `Policy ${policy.name} error: ${message.replace(/^error: /, '')}`
    : `Policy ${policy.name} failed: ${message}`;

function renderRules(subject: KubeObject, results: readonly RuleResult[]): string {
  const byPolicy = new Map<string, [string, string][]>();
  for (const { policy, rule, message } of results) {
    const name = policy.policy.metadata.name ?? policy.key;
    byPolicy.set(name, [...(byPolicy.get(name) ?? []), [rule.name, message]]);
  }
  // fromEntries defines own keys, so a policy named `constructor` or `__proto__` is safe.
  const rendered = Object.fromEntries([...byPolicy].map(([name, rules]) => [name, Object.fromEntries(rules)]));
  return `\n\nresource ${renderSubject(subject)} was blocked due to the following policies \n\n${renderYaml(rendered)}`;
}

function renderSubject({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name || (metadata.generateName ?? '')}`;
}

export function renderWarning(result: RuleResult): string {
  const { policy, rule, message } = result;
  if (policy.form === 'cel') return renderVerdict(result);
  return `policy ${policy.policy.metadata.name ?? policy.key}.${rule.name}: ${message}`;
}
