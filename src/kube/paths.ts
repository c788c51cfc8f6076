import type { KubeObject } from '../object/index.ts';
import { KubeError } from './errors.ts';
import type { DeleteOptions, ListOptions, ObjectKey, ResourceType, Selection, WriteOptions } from './types.ts';

/** `/apis/apps/v1/namespaces/shop/deployments`: every object of the type, of one namespace when given. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${segment(namespace, type)}` : '';
  return `${root}${scope}/${type.resource}`;
}

/**
 * One object's path. Rejects an empty name: the same verb on the collection's path would list, or delete, everything.
 */
export function objectPath(type: ResourceType, key: ObjectKey, subresource?: string): string {
  const path = `${scopedPath(type, key.namespace)}/${segment(key.name, type)}`;
  return subresource === undefined ? path : `${path}/${segment(subresource, type)}`;
}

/** The path for a create: the collection, or the subresource. */
export function createPath(type: ResourceType, object: KubeObject, subresource?: string): string {
  if (subresource !== undefined) return objectPath(type, keyOf(object), subresource);
  return scopedPath(type, object.metadata.namespace);
}

/** The key of an object; the name is empty when the server generates it. */
export function keyOf(object: KubeObject): ObjectKey {
  return { name: object.metadata.name ?? '', namespace: object.metadata.namespace };
}

export function listQuery(options: ListOptions): string {
  return renderQuery([
    ...selectionQuery(options),
    ['limit', options.limit],
    ['continue', options.continue],
    ['resourceVersion', options.resourceVersion],
    ['resourceVersionMatch', options.resourceVersionMatch],
  ]);
}

export function watchQuery(selection: Selection, resourceVersion: string, timeoutSeconds: number): string {
  return renderQuery([
    ['watch', 'true'],
    ['allowWatchBookmarks', 'true'],
    ...selectionQuery(selection),
    ['resourceVersion', resourceVersion],
    ['timeoutSeconds', timeoutSeconds],
  ]);
}

export function writeQuery(options: WriteOptions & { readonly force?: boolean | undefined }): string {
  return renderQuery([
    ['dryRun', options.dryRun ? 'All' : undefined],
    ['fieldManager', options.fieldManager],
    ['fieldValidation', options.fieldValidation],
    ['force', options.force ? 'true' : undefined],
  ]);
}

export function deleteBody(options: DeleteOptions): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(options.dryRun ? { dryRun: ['All'] } : {}),
    ...(options.propagationPolicy === undefined ? {} : { propagationPolicy: options.propagationPolicy }),
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
    ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions }),
  };
}

export function selectionQuery(selection: Selection): [string, string | undefined][] {
  return [
    ['labelSelector', selection.labelSelector],
    ['fieldSelector', selection.fieldSelector],
  ];
}

export function renderQuery(parameters: readonly (readonly [string, string | number | undefined])[]): string {
  let query = '';
  for (const [name, value] of parameters) {
    if (value === undefined || value === '') continue;
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return query;
}

function scopedPath(type: ResourceType, namespace: string | undefined): string {
  if (type.namespaced && (namespace === undefined || namespace === '')) {
    throw refused(type, `${type.kind} is namespaced and no namespace is given`);
  }
  return collectionPath(type, namespace);
}

function segment(value: string, type: ResourceType): string {
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw refused(type, `"${value}" cannot be a name or namespace of ${type.kind}`);
  }
  return encodeURIComponent(value);
}

function refused(type: ResourceType, message: string): KubeError {
  return new KubeError('kube-bad-request', message, { method: '', path: collectionPath(type) });
}
