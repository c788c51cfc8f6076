import { spendEffort } from './effort.ts';
import { KeyedList } from './keyed-list.ts';
import { type AnyMap, findKey, isMap, mapKeys, mapSize } from './map.ts';
import { compareNumbers, isNumeric } from './numbers.ts';
import {
  CelBytes,
  CelDuration,
  type CelError,
  CelObject,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  none,
  noSuchOverload,
} from './values.ts';

/** `==`: values of different types are not equal, numbers are compared across types. Some types refuse others. */
export function equals(a: unknown, b: unknown): boolean | CelError {
  if (typeof a === 'string' || typeof a === 'boolean') return a === b;
  if (isNumeric(a)) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (a === null || b === null) return a === b;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  if (a instanceof CelOpaque) return a.equals(b) ?? noSuchOverload;
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  if (isMap(a)) return isMap(b) && equalMaps(a, b);
  if (a instanceof CelObject) {
    return b instanceof CelObject && a.typeName === b.typeName && equalMaps(a.fields, b.fields);
  }
  return equalScalars(a, b);
}

/** For the inside of lists and maps, where a refusal is not told. */
export const isEqual = (a: unknown, b: unknown): boolean => equals(a, b) === true;

function equalScalars(a: unknown, b: unknown): boolean {
  if (a instanceof CelBytes) return b instanceof CelBytes && Buffer.compare(a.bytes, b.bytes) === 0;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  return false;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  spendEffort(a.length);
  if (a instanceof KeyedList) return a.alignedWith(b).every((item, i) => item !== undefined && isEqual(item, b[i]));
  // Only false is different: elements that refuse to be compared are left alone.
  for (let i = 0; i < a.length; i++) if (equals(a[i], b[i]) === false) return false;
  return true;
}

function equalMaps(a: AnyMap, b: AnyMap): boolean {
  if (mapSize(a) !== mapSize(b)) return false;
  spendEffort(mapSize(a));
  for (const key of mapKeys(a)) {
    const other = findKey(b, key);
    if (other === undefined || equals(findKey(a, key), other) === false) return false;
  }
  return true;
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a === none || b === none) return a === b;
  return isEqual(a.value, b.value);
}

/** Strings by code point: UTF-16 would sort the characters beyond 0xffff before some that come first. */
function compareStrings(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return fixUp(x) < fixUp(y) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Moves surrogates behind the rest of the plane. */
const fixUp = (unit: number) => (unit >= 0xd800 ? (unit >= 0xe000 ? unit - 0x800 : unit + 0x2000) : unit);

/** Order of two values of one type, or of two numbers; undefined for NaN. */
export function compare(a: unknown, b: unknown): -1 | 0 | 1 | undefined | CelError {
  if (typeof a === 'string') return typeof b === 'string' ? compareStrings(a, b) : noSuchOverload;
  if (isNumeric(a)) return isNumeric(b) ? compareNumbers(a, b) : noSuchOverload;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? order(Number(a), Number(b)) : noSuchOverload;
  if (a instanceof CelBytes) return b instanceof CelBytes ? Buffer.compare(a.bytes, b.bytes) : noSuchOverload;
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanos, b.nanos) : noSuchOverload;
  if (a instanceof CelTimestamp) {
    if (!(b instanceof CelTimestamp)) return noSuchOverload;
    return a.seconds === b.seconds ? order(a.nanos, b.nanos) : order(a.seconds, b.seconds);
  }
  return noSuchOverload;
}

export function isComparable(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isNumeric(value) ||
    value instanceof CelBytes ||
    value instanceof CelDuration ||
    value instanceof CelTimestamp
  );
}

const order = <T extends number | bigint>(a: T, b: T): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);
