import { matchesWildcard } from '../jmespath/index.ts';
import { type KubeObject, labelSelectorOf, parseLabelSelector } from '../object/index.ts';
import type { LookUp, LookUpAnswer } from '../policy/index.ts';
import type { ServedKind } from './kinds.ts';

/** An object that a rule reads from the cluster. */
export interface SampleSource {
  readonly kind: ServedKind;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** An object of the cluster that a rule and its conversion are tried in. */
export interface ClusterObject {
  readonly kind: ServedKind;
  readonly object: KubeObject;
}

/** Answers what a rule and its conversion ask for from the same objects. */
export function answerFrom(cluster: readonly ClusterObject[], lookUp: LookUp): LookUpAnswer {
  if (lookUp.kind === 'resources') {
    const { apiVersion, resourceKind, resource, namespace, name, selector } = lookUp;
    const matcher = selector && labelSelectorOf(selector);
    const found = cluster.filter(
      ({ kind, object: { apiVersion: own, metadata } }) =>
        (apiVersion === '' || own === apiVersion) &&
        (resource === undefined ? kind.kind === resourceKind : kind.resource === resource) &&
        (namespace === undefined || matchesWildcard(namespace, metadata.namespace ?? '')) &&
        (name === undefined || matchesWildcard(name, metadata.name ?? '')) &&
        (matcher?.(metadata.labels) ?? true),
    );
    return { ok: true, value: found.map(({ object }) => object) };
  }
  if (lookUp.kind !== 'apiCall' || lookUp.method !== 'GET') return { ok: false, message: 'not known here' };
  const { pathname, searchParams } = new URL(lookUp.urlPath, 'http://cluster.invalid');
  const [, version = '', namespace, plural = '', name] =
    /^\/apis?\/((?:[^/]+\/)?v[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
  const labels = parseLabelSelector(searchParams.get('labelSelector') ?? '');
  const found = cluster
    .filter(
      ({ kind, object: { apiVersion, metadata } }) =>
        apiVersion === version &&
        kind.resource === plural &&
        (namespace === undefined || metadata.namespace === namespace) &&
        (name === undefined || metadata.name === name) &&
        labels(metadata.labels),
    )
    .map(({ object }) => object);
  if (name !== undefined) return { ok: true, value: found[0] ?? null };
  return { ok: true, value: { apiVersion: version, kind: 'List', items: found } };
}
