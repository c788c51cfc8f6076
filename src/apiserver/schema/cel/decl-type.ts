import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
} from '../../../cel/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { escapeField } from './escape.ts';

/** What rules know of a value: its type, and how large it and its parts can be. */
export interface DeclType {
  readonly type: CelType;
  /** Characters or elements. */
  readonly maxElements: number;
  /** The least bytes of JSON. */
  readonly minSize: number;
  /** Of a list or a map. */
  readonly element?: DeclType;
  /** Of an object, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, DeclType>;
}

export const maxRequestBytes = 3 * 1024 * 1024;

const simple = (type: CelType, minSize: number, maxElements = 0): DeclType => ({ type, minSize, maxElements });

/** Undefined for what rules cannot see: values without a schema. `name` tells types apart. */
export function declTypeOf(schema: Schema, isRoot: boolean, name: string): DeclType | undefined {
  const { maxLength } = schema;
  if (schema['x-kubernetes-int-or-string']) {
    return simple(dynType, 1, maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, maxLength) * 4);
  }
  switch (schema.type) {
    case 'array':
      return listDeclType(schema, name);
    case 'object':
      return objectDeclType(isRoot ? withObjectMeta(schema) : schema, name);
    case 'string':
      return stringDeclType(schema);
    case 'boolean':
      return simple(boolType, 4);
    case 'number':
      return simple(doubleType, 1);
    case 'integer':
      return simple(intType, 1);
    default:
      return undefined;
  }
}

function listDeclType({ items, maxItems }: Schema, name: string): DeclType | undefined {
  const element = items && declTypeOf(items, isEmbedded(items), `${name}.@elem`);
  if (!element) return undefined;
  const maxElements =
    maxItems === undefined ? Math.trunc((maxRequestBytes - 2) / (element.minSize + 1)) : Math.max(0, maxItems);
  return { ...simple(listType(element.type), 2, maxElements), element };
}

function objectDeclType(schema: Schema, name: string): DeclType | undefined {
  const { properties = {}, additionalProperties, required = [], maxProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const element = declTypeOf(additionalProperties, isEmbedded(additionalProperties), `${name}.@elem`);
    if (!element) return undefined;
    // Two bytes for the key, its quotes, the colon and the comma.
    const most =
      maxProperties === undefined
        ? Math.trunc((maxRequestBytes - 2) / (element.minSize + 6))
        : Math.max(0, maxProperties);
    return { ...simple(mapType(stringType, element.type), 2, most), element };
  }
  const fields = new Map<string, DeclType>();
  let minSize = 2;
  for (const [key, property] of Object.entries(properties)) {
    const escaped = escapeField(key);
    const field = declTypeOf(property, isEmbedded(property), `${name}.${escaped}`);
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(key) && property.default === undefined) {
      minSize += Buffer.byteLength(key) + field.minSize + 4;
    }
  }
  const types = new Map([...fields].map(([key, field]) => [key, field.type]));
  return { ...simple({ ...structType(name, {}), fields: types }, minSize), fields };
}

function stringDeclType({ format, maxLength, enum: values = [] }: Schema): DeclType {
  switch (format) {
    case 'byte':
      return simple(bytesType, 2, maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, maxLength));
    case 'duration':
      return simple(durationType, 3, 32);
    case 'date':
      return simple(timestampType, 12, 12);
    case 'date-time':
      return simple(timestampType, 21, 32);
    default:
      // A character may be four bytes long.
      if (maxLength !== undefined) return simple(stringType, 2, Math.max(0, maxLength) * 4);
      if (values.length === 0) return simple(stringType, 2, maxRequestBytes - 2);
      return simple(
        stringType,
        2,
        Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0))),
      );
  }
}

export const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

const text: Schema = { type: 'string' };
const visibleMetadata: Schema = { type: 'object', properties: { name: text, generateName: text } };

/** The root of a resource shows its kind, its version, and of its metadata the name alone. */
function withObjectMeta(schema: Schema): Schema {
  const { properties = {} } = schema;
  const own = properties['metadata']?.properties;
  const isComplete =
    properties['kind']?.type === 'string' &&
    properties['apiVersion']?.type === 'string' &&
    own?.['name']?.type === 'string' &&
    own['generateName']?.type === 'string';
  if (isComplete) return schema;
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata: visibleMetadata } };
}

/** The most elements of a part of a value, by the way to it; undefined where there is none. */
export function maxElementsAt(root: DeclType, path: readonly string[]): number | undefined {
  let current: DeclType | undefined = root;
  for (const step of path.slice(1)) {
    if (step === '@keys') return current?.type.kind === 'map' ? 0 : undefined;
    current = step === '@items' || step === '@values' ? current?.element : current?.fields?.get(step);
    if (!current) return undefined;
  }
  return current?.maxElements;
}
