import type { DiscoveredType } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import { isReportable, type KindPolicy, kindPolicyFor, sourceOf } from './scope.ts';

/** A type whose objects must be watched, with the policies to run on them. */
export interface WatchedType {
  readonly type: DiscoveredType;
  /**
   * Policies run by scans. Policies of admission alone are not included, but their objects are watched all the same.
   */
  readonly kindPolicies: readonly KindPolicy[];
  /** The keys of all policies that match the type, including those above. */
  readonly policies: ReadonlySet<string>;
}

/** The types that policies match, by `group/version/resource`; each policy sees an object in one version only. */
export function watchedTypes(
  programs: readonly PolicyProgram[],
  served: readonly DiscoveredType[],
): ReadonlyMap<string, WatchedType> {
  const found = new Map<
    string,
    WatchedType & { readonly kindPolicies: KindPolicy[]; readonly policies: Set<string> }
  >();
  const types = served.filter(
    (type) => isReportable(type) && type.verbs.includes('list') && type.verbs.includes('watch'),
  );
  for (const program of programs) {
    const source = sourceOf(program);
    if (source === 'none') continue;
    const seen = new Set<string>();
    // The preferred version of a group comes first.
    for (const type of types) {
      const resource = `${type.group}/${type.resource}`;
      if (seen.has(resource)) continue;
      if (program.namespace !== '' && !type.namespaced) continue;
      const kindPolicy = kindPolicyFor(program, type);
      if (!kindPolicy) continue;
      seen.add(resource);
      const id = renderGvr(type);
      const watched = found.get(id) ?? { type, kindPolicies: [], policies: new Set() };
      found.set(id, watched);
      watched.policies.add(program.key);
      if (source === 'scan') watched.kindPolicies.push(kindPolicy);
    }
  }
  return found;
}
