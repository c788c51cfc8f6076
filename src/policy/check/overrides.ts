import { matchesWildcard } from '../../jmespath/index.ts';
import type { FailureActionOverride } from '../types.ts';
import type { Issues } from './issues.ts';

/** Two overrides must not give the same namespace different actions, be it by name or by wildcard. */
export function checkOverrides(
  overrides: readonly FailureActionOverride[] | undefined,
  path: string,
  issues: Issues,
): void {
  const enforced: string[] = [];
  const audited: string[] = [];
  for (const [i, { action, namespaces }] of (overrides ?? []).entries()) {
    if (!action) {
      issues.error('policy-overrides', `${path}[${i}].action`, 'invalid action: it must be Audit or Enforce');
      continue;
    }
    const [own, other] = action.toLowerCase() === 'enforce' ? [enforced, audited] : [audited, enforced];
    own.push(...(namespaces ?? []));
    const clash = findClash(namespaces ?? [], other);
    if (clash !== undefined) {
      issues.error(
        'policy-overrides',
        `${path}[${i}].namespaces`,
        `conflicting namespaces found: ${clash.join(' and ')}`,
      );
    }
  }
}

function findClash(namespaces: readonly string[], others: readonly string[]): readonly [string, string] | undefined {
  for (const namespace of namespaces) {
    const other = others.find((each) => matchesWildcard(each, namespace) || matchesWildcard(namespace, each));
    if (other !== undefined) return [namespace, other];
  }
  return undefined;
}
