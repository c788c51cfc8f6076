import { matchesWildcard } from '../../jmespath/index.ts';
import { deepEqual, type LabelSelector } from '../../object/index.ts';
import { hasContent } from '../autogen/index.ts';
import type { MatchBlock, ResourceDescription } from '../types.ts';
import { isSet, type RuleCheck } from './rule-context.ts';

/**
 * Refuses a rule whose exclude covers everything that its match selects, as far as a comparison shows it: the
 * same filter in both `any`, or old forms where everything excluded covers everything matched.
 */
export function checkEmptySet({ rule, path, issues }: RuleCheck, exclude: MatchBlock): void {
  const match = rule.match ?? {};
  if ((exclude.all ?? []).length > 0 || (match.all ?? []).length > 0) return;
  const anyMatch = match.any ?? [];
  const anyExclude = exclude.any ?? [];
  const isEmpty =
    anyMatch.length > 0 && anyExclude.length > 0
      ? anyMatch.some((filter) => anyExclude.some((other) => deepEqual(filter, other)))
      : anyExclude.length === 0 && hasContent(exclude, ['resources']) && covers(exclude, match);
  if (isEmpty) issues.error('policy-match', path, 'Rule is matching an empty set');
}

/** Whether each restriction of `exclude` is also one of `match`, so that nothing matched is left. */
function covers(exclude: MatchBlock, match: MatchBlock): boolean {
  const [outside, inside] = [exclude.resources ?? {}, match.resources ?? {}];
  if (!contains(exclude.roles, match.roles) || !contains(exclude.clusterRoles, match.clusterRoles)) return false;
  if (!contains(exclude.subjects, match.subjects)) return false;
  if (outside.name && !matchesWildcard(outside.name, inside.name ?? '')) return false;
  if ((outside.names ?? []).length > 0) return anyNameMatches(outside, inside);
  return (
    contains(outside.namespaces, inside.namespaces) &&
    contains(outside.kinds, inside.kinds) &&
    selects(outside.selector, inside.selector) &&
    selects(outside.namespaceSelector, inside.namespaceSelector) &&
    deepEqual(outside.annotations ?? null, inside.annotations ?? null)
  );
}

function anyNameMatches(outside: ResourceDescription, inside: ResourceDescription): boolean {
  return (inside.names ?? []).some((name) => (outside.names ?? []).some((pattern) => matchesWildcard(pattern, name)));
}

function contains(outside: readonly unknown[] | undefined, inside: readonly unknown[] | undefined): boolean {
  if (!outside?.length) return true;
  return !!inside?.length && inside.every((item) => outside.some((other) => deepEqual(item, other)));
}

function selects(outside: LabelSelector | undefined, inside: LabelSelector | undefined): boolean {
  if (!isSet(outside) || !isSet(inside)) return isSet(outside) === isSet(inside);
  if (!contains(outside.matchExpressions ?? [], inside.matchExpressions ?? [])) return false;
  const labels = outside.matchLabels ?? {};
  if (Object.keys(labels).length === 0) return true;
  const matched = Object.entries(inside.matchLabels ?? {});
  return matched.length > 0 && matched.every(([label, value]) => labels[label] === value);
}
