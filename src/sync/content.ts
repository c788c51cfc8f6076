import { deepEqual, type FieldsV1, type KubeObject } from '../object/index.ts';

type TextMap = Readonly<Record<string, string>>;

/** Our field manager: the server records for each field which manager wrote it last. */
export const fieldManager = 'supercargo-sync';

/** The part of an object that a sync controls: everything except identity, server-set fields and status. */
export function contentOf({ apiVersion: _a, kind: _k, metadata, status: _s, ...rest }: KubeObject): object {
  return { ...rest, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
}

/** Strict inside the spec: in a pattern an empty map, a null and an absent field mean different things. */
export function sameContent(a: KubeObject, b: KubeObject): boolean {
  return deepEqual(contentOf(a), contentOf(b));
}

/** Whether `part` is `whole` with something cut off: map entries, the last items of lists, the end of strings. */
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
 * The object to write over `before` to get `desired`. The spec is replaced as a whole. Labels and annotations of other
 * writers stay; those that we wrote and Insights no longer has are removed.
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
    // Without a status subresource, a write without the status would erase it.
    ...(status === undefined ? {} : { status }),
  };
}

/** The object in a form that can be created again: without server-set fields. */
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
