import {
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
  parseApiVersion,
} from '../../object/index.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { Store } from '../store/index.ts';
import { Webhooks } from './webhooks.ts';

const registration = 'admissionregistration.k8s.io';

/** The webhooks of the configurations in the store. */
export function createClusterWebhooks(
  store: Store,
  catalog: Catalog,
  redecode: (object: KubeObject) => KubeObject,
): Webhooks {
  const list = (resource: string) =>
    store
      .collection(`${registration}/${resource}`)
      .entries('')
      .map(({ object }) => object);
  return new Webhooks({
    mutatingConfigurations: () => list('mutatingwebhookconfigurations'),
    validatingConfigurations: () => list('validatingwebhookconfigurations'),
    namespaceLabels: (name) => store.collection('/namespaces').get(name)?.metadata.labels,
    equivalents: (resource) => equivalents(catalog, resource),
    kindOf: (resource, subresource) => kindOf(catalog, resource, subresource),
    convert: (object, resource) => convert(catalog, object, resource),
    redecode,
  });
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
