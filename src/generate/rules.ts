import type { DiscoveredType } from '../kube/index.ts';
import { kindOf, kindsOf, type MatchedKind, type PolicyProgram, type RuleProgram } from '../policy/index.ts';

/**
 * True for rules that create or change other objects than the one under review. A mutation of expressions with
 * `mutateExisting` changes objects that are stored: those that its targets select, or the trigger itself.
 */
export function isGenerating({ form }: PolicyProgram, { phase, actsOnOthers, actsOnExisting }: RuleProgram): boolean {
  // Deletions act on others too, at times of their own.
  if (phase === 'delete') return false;
  return form === 'cel' && phase === 'mutate' ? actsOnExisting : actsOnOthers;
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
 * Whether writes trigger the rules of a policy. One of expressions that generates may be for existing objects only, and
 * for what it has generated. Mutations of existing objects without admission are found by watches all the more.
 */
export const actsOnWrites = ({ form, settings, rules }: PolicyProgram): boolean =>
  form === 'rules' || settings.admission || rules.some(({ phase }) => phase === 'mutate');

/** The operation with which an existing object triggers a rule. */
export function existingOperation({ phase, operationsOn }: RuleProgram, kind: MatchedKind): 'CREATE' | 'UPDATE' {
  // As upstream: what is mutated exists, so this is an update, unless the policy is for creations only.
  return phase === 'mutate' && operationsOn?.(kind, '').has('UPDATE') ? 'UPDATE' : 'CREATE';
}

/** Whether a rule changes what triggers it, and not other objects. */
export const changesTrigger = ({ phase, actsOnOthers }: RuleProgram): boolean => phase === 'mutate' && !actsOnOthers;

export const isSynchronized = ({ spec }: RuleProgram): boolean => spec.generate?.synchronize === true;
