import { pruneUnknown, renderFieldError, type Schema, validate } from './schema/index.ts';

/**
 * The errors that this server reports for a custom resource with such a schema, one line each: invalid values, and
 * fields that kubectl's strict validation refuses. CEL expressions and metadata are not checked.
 */
export function checkCustomResource(object: Readonly<Record<string, unknown>>, schema: Schema): readonly string[] {
  const { object: known, dropped } = pruneUnknown(object, schema);
  const unknown = dropped.filter((path) => path.startsWith('spec')).map((path) => `${path}: is no field of this kind`);
  return [...unknown, ...validate(known, schema).map(renderFieldError)];
}
