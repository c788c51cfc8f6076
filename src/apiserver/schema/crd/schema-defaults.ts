import type { Schema } from '../../../schema/index.ts';
import { type FieldError, invalid } from '../field-error.ts';
import type { Path } from '../path.ts';
import { pruneUnknown } from '../prune.ts';
import { validateAt } from '../validate.ts';
import { type Fields, isObject, isUnset, objectIn } from '../value.ts';

/** Every default in a structural schema must fit the schema it stands in, and hold no unknown field. */
export function checkSchemaDefaults(schema: Fields, where: Path): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, where, errors);
  return errors;
}

function walk(schema: Fields, where: Path, errors: FieldError[]): void {
  const value = schema['default'];
  if (!isUnset(value)) {
    const here = where.child('default');
    if (hasUnknownFields(value, schema as Schema)) errors.push(invalid(here, value, 'must not have unknown fields'));
    errors.push(...validateAt(String(here), value, schema as Schema));
  }
  const items = objectIn(schema, 'items');
  if (items) walk(items, where.child('items'), errors);
  const properties = objectIn(schema, 'properties');
  for (const key in properties) {
    const property = properties[key];
    if (isObject(property)) walk(property, where.child('properties').key(key), errors);
  }
}

function hasUnknownFields(value: unknown, schema: Schema): boolean {
  // Pruned one level down, where no field is kept merely for being called metadata.
  const holder: Schema = { type: 'object', properties: { value: schema } };
  return pruneUnknown({ value }, holder).dropped.length > 0;
}
