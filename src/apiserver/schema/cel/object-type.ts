import type { CelType } from '../../../cel/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { declTypeOf } from './decl-type.ts';

const types = new WeakMap<Schema, { readonly type: CelType | undefined }>();

/** The type of the objects of a kind; undefined where its schema refers to itself, which no type can. */
export function typeOfObjects(schema: Schema, kind: string): CelType | undefined {
  let known = types.get(schema);
  if (!known) {
    known = { type: isRecursive(schema, new Set()) ? undefined : declTypeOf(schema, true, kind)?.type };
    types.set(schema, known);
  }
  return known.type;
}

function isRecursive(schema: Schema, above: Set<Schema>): boolean {
  if (above.has(schema)) return true;
  above.add(schema);
  const { properties = {}, items, additionalProperties } = schema;
  const parts = [...Object.values(properties), ...(items ? [items] : [])];
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  const found = parts.some((part) => isRecursive(part, above));
  above.delete(schema);
  return found;
}
