import { setOwn } from '../../../base/index.ts';
import { bytesOf, dateOf, doubleOfNumber, durationOfText, keyedList, timeOf } from '../../../cel/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { escapeField } from './escape.ts';

/** A value as rules see it: fields by their names in expressions, texts in formats as what they say. */
export function ruleValue(value: unknown, schema: Schema): unknown {
  if (value === null || value === undefined || !isChanged(schema)) return value ?? null;
  if (schema['x-kubernetes-int-or-string']) return value;
  switch (schema.type) {
    case 'object':
      return objectValue(value, schema);
    case 'array':
      return listValue(value, schema);
    case 'string':
      return textValue(value, schema);
    case 'number':
      return typeof value === 'number' ? doubleOfNumber(value) : value;
    default:
      return value;
  }
}

function objectValue(value: unknown, { properties, additionalProperties }: Schema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const shown: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const property = properties?.[key];
    // A field that is null is absent; an entry of a map is not.
    if (properties && field === null) continue;
    if (property) setOwn(shown, escapeField(key) ?? key, ruleValue(field, property));
    else if (typeof additionalProperties === 'object') setOwn(shown, key, ruleValue(field, additionalProperties));
    else setOwn(shown, key, field);
  }
  return shown;
}

function listValue(value: unknown, schema: Schema): unknown {
  const { items } = schema;
  if (!Array.isArray(value) || !items) return value;
  const list = value.map((item) => ruleValue(item, items));
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return keyedList(list, undefined);
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return listType === 'map'
    ? keyedList(
        list,
        keys.map((key) => escapeField(key) ?? key),
      )
    : list;
}

function textValue(value: unknown, { format }: Schema): unknown {
  if (typeof value !== 'string') return value;
  switch (format) {
    case 'byte':
      return bytesOf(value);
    case 'duration':
      return durationOfText(value);
    case 'date':
      return dateOf(value);
    case 'date-time':
      return timeOf(value);
    default:
      return value;
  }
}

const changed = new WeakMap<Schema, boolean>();

/** Whether a value of this schema differs for rules; most do not, and then nothing is copied. */
function isChanged(schema: Schema): boolean {
  const known = changed.get(schema);
  if (known !== undefined) return known;
  const { type, format = '', properties, additionalProperties, items } = schema;
  const result =
    type === 'number' ||
    (type === 'string' && formats.has(format)) ||
    (type === 'array' && (schema['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic') ||
    (items !== undefined && isChanged(items)) ||
    (typeof additionalProperties === 'object' && isChanged(additionalProperties)) ||
    Object.entries(properties ?? {}).some(
      ([key, property]) => property.nullable === true || escapeField(key) !== key || isChanged(property),
    );
  changed.set(schema, result);
  return result;
}

const formats = new Set(['byte', 'duration', 'date', 'date-time']);
