import { type JsonObject, parseJson, renderJson, setOwn } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { asMap } from '../../schema/index.ts';
import { compare } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { type WriteContext, withoutManagedFields } from './ownership.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The server's size limit for all annotations of an object. */
const maxAnnotationsBytes = 256 * 1024;

/** The fields that client-side applies set and that still have those values; undefined when there were none. */
export function allowedByLastApplied(live: KubeObject, context: WriteContext): FieldSet | undefined {
  const text = live.metadata.annotations?.[annotation];
  if (!text) return undefined;
  try {
    const last = asMap(parseJson(text));
    if (last === undefined || last['apiVersion'] !== context.apiVersion) return undefined;
    const { added, modified, removed } = compare(last, withoutManagedFields(live), context.schema);
    return fieldSetOf(last, context.schema).difference(modified).difference(added).difference(removed);
  } catch {
    // Any user can write the annotation: an invalid one allows nothing.
    return undefined;
  }
}

/** Updates the annotation of client-side apply, where the object has one, to the applied configuration. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[annotation]) return object;
  const { [annotation]: _, ...others } = annotations;
  const size = (all: Readonly<Record<string, string>>) =>
    Object.entries(all).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  const updated = { ...others, [annotation]: `${renderJson(configurationOf(applied))}\n` };
  const fits = size(updated) <= maxAnnotationsBytes;
  return { ...object, metadata: { ...object.metadata, annotations: fits ? updated : others } };
}

function configurationOf(applied: KubeObject): unknown {
  const annotations = applied.metadata?.annotations;
  if (annotations === undefined) return sorted(applied);
  const { [annotation]: _, ...others } = annotations;
  const { annotations: __, ...metadata } = applied.metadata;
  const isEmpty = Object.keys(others).length === 0;
  return sorted({ ...applied, metadata: isEmpty ? metadata : { ...metadata, annotations: others } });
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  const map = asMap(value);
  if (map === undefined) return value;
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(map).sort()) setOwn(result, name, sorted((map as JsonObject)[name]));
  return result;
}
