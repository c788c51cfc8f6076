import type { DiscoveredType } from '../kube/index.ts';
import type { PolicyProgram, RuleProgram } from '../policy/index.ts';

/** True for rules that create or change objects other than the one that is asked about. */
export function isGenerating(rule: RuleProgram): boolean {
  return rule.actsOnOthers;
}

const ofTheRequest =
  /\brequest\.(userInfo|roles|clusterRoles|oldObject)\b|\bserviceAccount(Name|Namespace)\b|\brequest\.(options|dryRun)\b/;

/**
 * Whether only an admission request can tell what the rule wants to know: who asked, what was there before, a deletion,
 * a connection, a subresource, or a kind that is never stored. Every other rule works from watches.
 */
export function isAdmissionBound(rule: RuleProgram, types: readonly DiscoveredType[]): boolean {
  const { match = {}, exclude = {} } = rule.spec;
  const filters = [match, exclude].flatMap((block) => [block, ...(block.any ?? []), ...(block.all ?? [])]);
  if (filters.some(({ roles, clusterRoles, subjects }) => roles?.length || clusterRoles?.length || subjects?.length))
    return true;
  const matched = [match, ...(match.any ?? []), ...(match.all ?? [])];
  const operations = matched.flatMap(({ resources }) => resources?.operations ?? []);
  if (operations.includes('DELETE') || operations.includes('CONNECT')) return true;
  if (ofTheRequest.test(JSON.stringify(rule.spec))) return true;
  return types.some(
    (type) =>
      (rule.concerns(type, '') && !isFollowed(type)) ||
      type.subresources.some((sub) => sub !== 'ephemeralcontainers' && rule.concerns(type, sub)),
  );
}

const isFollowed = ({ verbs }: DiscoveredType): boolean => verbs.includes('list') && verbs.includes('watch');

/** Kinds that are written all the time by the cluster itself: followed only by rules that name them. */
const restless: ReadonlySet<string> = new Set(['Event', 'Lease', 'Endpoints', 'EndpointSlice']);

/** The types whose writes can trigger a rule, each kind in one version. */
export function followedTypes(rule: RuleProgram, types: readonly DiscoveredType[]): readonly DiscoveredType[] {
  const chosen = new Map<string, DiscoveredType>();
  const named = JSON.stringify(rule.spec.match ?? {});
  for (const type of types) {
    if (!isFollowed(type) || !rule.concerns(type, '')) continue;
    if (restless.has(type.kind) && !named.includes(type.kind)) continue;
    const id = `${type.group}/${type.kind}`;
    const before = chosen.get(id);
    if (!before || (type.isPreferredVersion && !before.isPreferredVersion)) chosen.set(id, type);
  }
  return [...chosen.values()];
}

export const isSynchronized = ({ spec }: RuleProgram): boolean => spec.generate?.synchronize === true;

/** Whether a new revision of the policy acts on what is there already. */
export function actsOnExisting({ policy }: PolicyProgram, { spec }: RuleProgram): boolean {
  if (spec.generate) {
    const { generateExisting, generateExistingOnPolicyUpdate } = policy.spec;
    return spec.generate.generateExisting ?? generateExisting ?? generateExistingOnPolicyUpdate ?? false;
  }
  return spec.mutate?.mutateExistingOnPolicyUpdate ?? policy.spec.mutateExistingOnPolicyUpdate ?? false;
}
