import { LRUCache } from 'lru-cache';
import { UsageError } from '../base/index.ts';
import { matchesWildcard } from '../jmespath/index.ts';
import type { GroupVersionKind } from '../object/index.ts';
import { compileKinds, type KindMatcher } from '../policy/index.ts';

/** Objects that are excluded from all policies. */
export interface ResourceFilters {
  excludes(kind: GroupVersionKind, subresource: string, namespace: string, name: string): boolean;
  /** Whether every object of the kind is excluded, in any namespace and with any name. */
  excludesKind(kind: GroupVersionKind, subresource: string): boolean;
  /** Namespaces in which every object is excluded. */
  readonly namespaces: readonly string[];
}

/** Kyverno's defaults: objects of the cluster itself, written too often or too critical to wait for a webhook. */
export const defaultResourceFilters: readonly string[] = [
  '[Event,*,*]',
  '[*/*,kube-system,*]',
  '[*/*,kube-public,*]',
  '[*/*,kube-node-lease,*]',
  '[Node,*,*]',
  '[Node/?*,*,*]',
  '[APIService,*,*]',
  '[APIService/?*,*,*]',
  '[TokenReview,*,*]',
  '[SubjectAccessReview,*,*]',
  '[SelfSubjectAccessReview,*,*]',
  '[Binding,*,*]',
  '[Pod/binding,*,*]',
  '[ReplicaSet,*,*]',
  '[ReplicaSet/?*,*,*]',
  '[PolicyReport,*,*]',
  '[ClusterPolicyReport,*,*]',
];

/** More kinds than most clusters have. */
const maxKinds = 1_000;

/** Parses filters of the form `[kind,namespace,name]`; a text may hold several in a row. */
export function parseResourceFilters(texts: readonly string[]): ResourceFilters {
  const filters = texts.flatMap(parseText);
  const byKind = new LRUCache<string, typeof filters>({ max: maxKinds });
  const filtersFor = (kind: GroupVersionKind, subresource: string) => {
    const key = `${kind.group}/${kind.version}/${kind.kind}/${subresource}`;
    let found = byKind.get(key);
    if (found === undefined) byKind.set(key, (found = filters.filter(({ kinds }) => kinds(kind, subresource))));
    return found;
  };
  return {
    excludes: (kind, subresource, namespace, name) =>
      filtersFor(kind, subresource).some(
        (filter) => matchesWildcard(filter.namespace, namespace) && matchesWildcard(filter.name, name),
      ),
    excludesKind: (kind, subresource) =>
      filters.some((filter) => filter.namespace === '*' && filter.name === '*' && filter.kinds(kind, subresource)),
    namespaces: filters
      .filter(({ kind, namespace, name }) => kind === '*/*' && name === '*' && !/[*?]/.test(namespace))
      .map(({ namespace }) => namespace),
  };
}

/** compileKinds lets `Pod` match ephemeral containers too; a filter for `Pod/binding` must not exclude those. */
function compileFilterKind(kind: string): KindMatcher {
  const matches = compileKinds([kind]);
  const written = kind.includes('/') ? kind.slice(kind.lastIndexOf('/') + 1) : '*';
  return (candidate, subresource) =>
    matches(candidate, subresource) &&
    (subresource !== 'ephemeralcontainers' || written === candidate.kind || matchesWildcard(written, subresource));
}

function parseText(text: string) {
  const found = [...text.matchAll(/\[([^\][]*)\]/g)];
  if (found.length === 0 || text.replaceAll(/\[[^\][]*\]/g, '').trim() !== '')
    throw new UsageError(
      'filter-invalid',
      `a resource filter must have the form [kind,namespace,name], not ${JSON.stringify(text)}`,
    );
  return found.map(([, inside = '']) => {
    const [kind = '', namespace = '', name = '', ...more] = inside.split(',').map((part) => part.trim());
    if (kind === '' || more.length > 0)
      throw new UsageError(
        'filter-invalid',
        `a resource filter must have the form [kind,namespace,name], not [${inside}]`,
      );
    return { kind, kinds: compileFilterKind(kind), namespace: namespace || '*', name: name || '*' };
  });
}
