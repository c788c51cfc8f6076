import { isJsonObject } from '../base/index.ts';
import type { Schema } from './types.ts';

/** The schema of one version of a custom resource definition; undefined where it has none. */
export function schemaOfDefinition(definition: object, version: string): Schema | undefined {
  const spec = fieldOf(definition, 'spec');
  const versions = fieldOf(spec, 'versions');
  const found = Array.isArray(versions) ? versions.find((one) => fieldOf(one, 'name') === version) : undefined;
  const schema = fieldOf(fieldOf(found, 'schema'), 'openAPIV3Schema');
  return isJsonObject(schema) ? (schema as Schema) : undefined;
}

const fieldOf = (value: unknown, field: string): unknown => (isJsonObject(value) ? value[field] : undefined);
