import {
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
  parseApiVersion,
} from '../../object/index.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { Store } from '../store/index.ts';
import type { MatchEnvironment } from './webhook-match.ts';

/** What matching of webhooks and policies needs to know of the cluster. */
export interface ClusterView extends MatchEnvironment {
  readonly kindOf: (resource: GroupVersionResource, subresource: string) => GroupVersionKind;
  readonly convert: (object: KubeObject, resource: GroupVersionResource) => KubeObject;
}

export function createClusterView(store: Store, catalog: Catalog): ClusterView {
  return {
    namespaceLabels: (name) => store.collection('/namespaces').get(name)?.metadata.labels,
    equivalents: (resource) => equivalents(catalog, resource),
    kindOf: (resource, subresource) => kindOf(catalog, resource, subresource),
    convert: (object, resource) => convert(catalog, object, resource),
  };
}

function equivalents(catalog: Catalog, resource: GroupVersionResource): readonly GroupVersionResource[] {
  const definition = catalog.find(resource);
  if (!definition) return [];
  const isOther = (other: GroupVersionResource) => other.version !== resource.version || other.group !== resource.group;
  return [...catalog.all()].filter((other) => other.storage === definition.storage && isOther(other));
}

function kindOf(catalog: Catalog, resource: GroupVersionResource, subresource: string): GroupVersionKind {
  const definition = catalog.find(resource)!;
  const sub = definition.subresources.find(({ name }) => name === subresource);
  const { group, version, kind } = definition;
  return { group: sub?.group ?? group, version: sub?.version ?? version, kind: sub?.kind ?? kind };
}

function convert(catalog: Catalog, object: KubeObject, resource: GroupVersionResource): KubeObject {
  const from = catalog.findKind({ ...parseApiVersion(object.apiVersion), kind: object.kind });
  const to = catalog.find(resource);
  if (!from || !to || from === to) return object;
  const stored = from.conversion?.toStored(object) ?? object;
  return to.conversion?.fromStored(stored) ?? stored;
}
