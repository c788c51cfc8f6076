import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RuleResult } from '../policy/index.ts';

/** The message of a denied request, in Kyverno's form: the object, then policy, rule and message. */
export function renderRefusal(subject: KubeObject, results: readonly RuleResult[]): string {
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

export function renderWarning({ policy, rule, message }: RuleResult): string {
  return `policy ${policy.policy.metadata.name ?? policy.key}.${rule.name}: ${message}`;
}
