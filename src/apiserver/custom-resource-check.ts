import { pruneUnknown, renderFieldError, type Schema, validate } from './schema/index.ts';

/**
 * What this server has against a custom resource with such a schema, one line each: values out of bounds, and fields that
 * kubectl's strict validation refuses. Without expressions (CEL) and metadata.
 */
export function checkCustomResource(object: Readonly<Record<string, unknown>>, schema: Schema): readonly string[] {
  const { object: known, dropped } = pruneUnknown(object, schema);
  const unknown = dropped.filter((path) => path.startsWith('spec')).map((path) => `${path}: is no field of this kind`);
  return [...unknown, ...validate(known, schema).map(renderFieldError)];
}
