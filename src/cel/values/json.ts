import { setOwn } from '../../base/index.ts';
import { type AnyMap, findKey, isMap, mapKeys } from './map.ts';
import { renderGo } from './render.ts';
import { renderSeconds, renderTimestamp } from './time.ts';
import {
  Abnormal,
  Boxed,
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  none,
  typeNameOf,
} from './values.ts';

/** A value for people and files: what JSON cannot carry becomes text, an optional what is in it. */
export function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (isMap(value)) {
    const object: Record<string, unknown> = {};
    for (const key of mapKeys(value)) setOwn(object, renderGo(key), toJson(findKey(value, key)));
    return object;
  }
  if (!(value instanceof Boxed)) return value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return value.value <= 9007199254740991n ? Number(value.value) : value.value;
  if (value instanceof CelBytes) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof CelDuration) return renderSeconds(value);
  if (value instanceof CelTimestamp) return renderTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelObject) return toJson(value.fields);
  if (value instanceof CelOptional) return value === none ? null : toJson(value.value);
  return value.typeName;
}

/** Values that one document may have: a few times what the largest object of a cluster has. */
const maxValues = 500_000;

/**
 * A value as a part of an object. Not everything can be one: keys are strings, and what is nested in itself many times
 * over, which an expression can make at little cost, would not fit into memory.
 */
export function toDocument(value: unknown): unknown {
  return documentOf(value, { values: maxValues }, 0);
}

/** How many values `toDocument` would write, with a value for each 256 letters of a text; counts no further than `max`. */
export function documentSize(value: unknown, max: number): number {
  let size = 0;
  const count = (of: unknown, depth: number): void => {
    size += typeof of === 'string' ? 1 + (of.length >> 8) : 1;
    if (size > max || depth > maxDepth) return;
    if (of instanceof CelObject) countMap(of.fields, depth);
    else if (isMap(of)) countMap(of, depth);
    else if (Array.isArray(of)) {
      for (const item of of) if (size <= max) count(item, depth + 1);
    }
  };
  const countMap = (map: AnyMap, depth: number): void => {
    for (const key of mapKeys(map)) if (size <= max) count(findKey(map, key), depth + 1);
  };
  count(value, 0);
  return size;
}

function documentOf(value: unknown, left: { values: number }, depth: number): unknown {
  if (--left.values < 0 || depth > maxDepth) return tooLarge;
  if (value instanceof CelObject) return mapDocument(value.fields, left, depth);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const item of value) {
      const converted = documentOf(item, left, depth + 1);
      if (converted instanceof Abnormal) return converted;
      list.push(converted);
    }
    return list;
  }
  if (isMap(value)) return mapDocument(value, left, depth);
  return value instanceof Abnormal ? value : toJson(value);
}

function mapDocument(value: AnyMap, left: { values: number }, depth: number): unknown {
  const object: Record<string, unknown> = {};
  for (const key of mapKeys(value)) {
    if (typeof key !== 'string')
      return new CelError(`map key ${renderGo(key)} is of type ${typeNameOf(key)}, not string`);
    const converted = documentOf(findKey(value, key), left, depth + 1);
    if (converted instanceof Abnormal) return converted;
    setOwn(object, key, converted);
  }
  return object;
}

const maxDepth = 1_000;
const tooLarge = new CelError('the value is too large for an object');
