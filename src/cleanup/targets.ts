import { matchesWildcard } from '../jmespath/index.ts';
import type { DiscoveredType } from '../kube/index.ts';
import { renderGroupResource } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';

/** The kinds that a policy deletes objects of. */
interface Targets {
  readonly types: readonly DiscoveredType[];
  /** Why others are left out that the policy names. */
  readonly refused: readonly string[];
}

interface TargetOptions {
  /** `pods`, `jobs.batch`; `*` matches any characters. */
  readonly namespacedResources: readonly string[];
}

/**
 * The kinds that the cluster serves and the policy may match, each in one version: the preferred one, if the policy names
 * it. A policy of a namespace has none that is not namespaced, and only those that the administrator allows such policies.
 */
export function targetsOf(
  { namespace, rules }: Pick<PolicyProgram, 'namespace' | 'rules'>,
  served: readonly DiscoveredType[],
  { namespacedResources }: TargetOptions,
): Targets {
  const byResource = new Map<string, DiscoveredType>();
  for (const type of served) {
    if (!type.verbs.includes('list') || !type.verbs.includes('delete')) continue;
    if (!rules.some((rule) => rule.phase === 'delete' && rule.mayMatchKind(type, ''))) continue;
    const name = renderGroupResource(type);
    const before = byResource.get(name);
    if (!before || (!before.isPreferredVersion && type.isPreferredVersion)) byResource.set(name, type);
  }
  const types: DiscoveredType[] = [];
  const refused: string[] = [];
  for (const [name, type] of byResource) {
    const refusal = namespace === '' ? undefined : refusalOf(name, type, namespacedResources);
    if (refusal === undefined) types.push(type);
    else refused.push(refusal);
  }
  return { types, refused };
}

function refusalOf(name: string, type: DiscoveredType, allowed: readonly string[]): string | undefined {
  if (!type.namespaced) return `${name} are cluster-scoped: a policy of a namespace does not delete them`;
  return allowed.some((pattern) => matchesWildcard(pattern, name))
    ? undefined
    : `policies of namespaces may not delete ${name}; an administrator allows it with cleanup.namespacedResources`;
}
