import type { DiscoveredType } from '../kube/index.ts';
import { kindOf, kindsOf, type PolicyProgram, type RuleProgram } from '../policy/index.ts';

/** True for rules that create or change other objects than the one under review. */
export function isGenerating(rule: RuleProgram): boolean {
  return rule.actsOnOthers;
}

/**
 * Whether a rule reads what only the sender of a review knows: the user, a connection, a subresource, or a kind that is
 * never stored. Everything else can be confirmed by reading from the API server.
 */
export function needsTrust(rule: RuleProgram, types: readonly DiscoveredType[]): boolean {
  const { reads, operations } = rule;
  if (reads.user || reads.roles || reads.options || operations.has('CONNECT')) return true;
  return types.some(
    (type) =>
      (rule.mayMatchKind(type, '') && !isFollowed(type)) ||
      type.subresources.some((sub) => sub !== 'ephemeralcontainers' && rule.mayMatchKind(type, sub)),
  );
}

/**
 * Whether only an admission request has what the rule reads: the user, the old object, a deletion, a connection, a
 * subresource, or a kind that is never stored. All other rules work from watches.
 */
export function isAdmissionBound(rule: RuleProgram, types: readonly DiscoveredType[]): boolean {
  return rule.reads.oldObject || rule.operations.has('DELETE') || needsTrust(rule, types);
}

const isFollowed = ({ verbs }: DiscoveredType): boolean => verbs.includes('list') && verbs.includes('watch');

/** Kinds that the cluster itself writes all the time; watched only for rules that name them. */
const noisyKinds: ReadonlySet<string> = new Set(['Event', 'Lease', 'Endpoints', 'EndpointSlice']);

/** The types whose writes can trigger a rule, each kind in one version. */
export function followedTypes(rule: RuleProgram, types: readonly DiscoveredType[]): readonly DiscoveredType[] {
  const chosen = new Map<string, DiscoveredType>();
  const kinds = new Set(kindsOf(rule.spec.match).map((selector) => kindOf(selector)));
  const names = rule.namesKind ?? (({ kind }: DiscoveredType) => kinds.has(kind));
  for (const type of types) {
    if (!isFollowed(type) || !rule.mayMatchKind(type, '')) continue;
    if (noisyKinds.has(type.kind) && !names(type)) continue;
    const id = `${type.group}/${type.kind}`;
    const before = chosen.get(id);
    if (!before || (type.isPreferredVersion && !before.isPreferredVersion)) chosen.set(id, type);
  }
  return [...chosen.values()];
}

/**
 * Whether writes trigger the rules of a policy. A policy of expressions may be for existing objects only, and for what it
 * has generated.
 */
export const actsOnWrites = ({ form, settings }: PolicyProgram): boolean => form === 'rules' || settings.admission;

export const isSynchronized = ({ spec }: RuleProgram): boolean => spec.generate?.synchronize === true;
