import { deepEqual, type FieldsV1, type KubeObject } from '../object/index.ts';

type TextMap = Readonly<Record<string, string>>;

/** As whom we write; the server keeps with each field who wrote it last. */
export const fieldManager = 'supercargo-sync';

/** The part of an object that a sync decides: everything but identity, server-set fields and status. */
export function contentOf({ apiVersion: _a, kind: _k, metadata, status: _s, ...rest }: KubeObject): object {
  return { ...rest, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
}

/** Strict inside the spec: in a pattern an empty map, a null and an absent field mean different things. */
export function sameContent(a: KubeObject, b: KubeObject): boolean {
  return deepEqual(contentOf(a), contentOf(b));
}

/** Whether `part` is `whole` with something missing at an end: entries of maps, the last items of lists, the end of texts. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (Array.isArray(part))
    return Array.isArray(whole) && part.length <= whole.length && part.every((item, i) => isPartOf(item, whole[i]));
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && isPartOf(value, (whole as Readonly<Record<string, unknown>>)[key]),
  );
}

/**
 * The object to write over `before` so that it becomes `desired`. The spec is replaced as a whole; labels and
 * annotations that others put on the object stay, those that we wrote and Insights no longer names go.
 */
export function overwrite(before: KubeObject, desired: KubeObject): KubeObject {
  const { metadata, status } = before;
  const { name, namespace, uid, resourceVersion, finalizers, ownerReferences } = metadata;
  const labels = { ...foreign(before, 'labels'), ...desired.metadata.labels };
  const annotations = { ...foreign(before, 'annotations'), ...desired.metadata.annotations };
  return {
    ...desired,
    metadata: defined({
      name,
      namespace,
      uid,
      resourceVersion,
      finalizers,
      ownerReferences,
      labels: Object.keys(labels).length > 0 ? labels : undefined,
      annotations,
    }),
    // Where the kind has no status of its own right, a write without it would erase it.
    ...(status === undefined ? {} : { status }),
  };
}

/** The object as it can be created again: without what only the server gives. */
export function recreatable({ metadata, status: _, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata;
  return {
    ...rest,
    metadata: defined({ name, namespace, labels, annotations, finalizers, ownerReferences }),
  } as KubeObject;
}

function foreign({ metadata }: KubeObject, field: 'labels' | 'annotations'): TextMap {
  const entries = Object.entries(metadata[field] ?? {});
  const ours = new Set<string>();
  for (const { manager, subresource, fieldsV1 } of metadata.managedFields ?? []) {
    if (manager !== fieldManager || subresource !== undefined) continue;
    const owned: FieldsV1 = fieldsV1?.['f:metadata']?.[`f:${field}`] ?? {};
    for (const key of Object.keys(owned)) ours.add(key.slice('f:'.length));
  }
  return Object.fromEntries(entries.filter(([key]) => !ours.has(key)));
}

function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
