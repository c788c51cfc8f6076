import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RuleResult } from '../policy/index.ts';

/** The text of a refusal, as people know it: which object, and then policy, rule and message. */
export function renderRefusal(subject: KubeObject, results: readonly RuleResult[]): string {
  const byPolicy: Record<string, Record<string, string>> = {};
  for (const { policy, rule, message } of results)
    (byPolicy[policy.policy.metadata.name ?? policy.key] ??= {})[rule.name] = message;
  return `\n\nresource ${renderSubject(subject)} was blocked due to the following policies \n\n${renderYaml(byPolicy)}`;
}

export function renderSubject({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name || (metadata.generateName ?? '')}`;
}

export function renderWarning({ policy, rule, message }: RuleResult): string {
  return `policy ${policy.policy.metadata.name ?? policy.key}.${rule.name}: ${message}`;
}
