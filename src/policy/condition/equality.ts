import { deepEqual } from '../../object/index.ts';
import { matchesWildcard, parseGoFloat, quantityOf } from '../pattern/index.ts';
import { durationPair, seconds } from './duration.ts';

/** Equals: the type of the key determines how the value is read. A null key equals nothing. */
export function equals(key: unknown, value: unknown): boolean {
  switch (typeof key) {
    case 'boolean':
      return key === value;
    case 'number':
    case 'bigint':
      return equalsNumber(key, value);
    case 'string':
      return equalsText(key, value);
    default:
      return isStructure(key) && sameShape(key, value) && deepEqual(key, value);
  }
}

/** NotEquals: a null key never differs either. */
export function differs(key: unknown, value: unknown): boolean {
  if (key === null || key === undefined) return false;
  // The value is not a text: only in this case the key is not read as a quantity.
  if (value === '' && typeof key === 'string' && quantityOf(key) !== undefined) return true;
  return !equals(key, value);
}

function equalsNumber(key: number | bigint, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return isSameNumber(key, value);
  if (typeof value !== 'string') return false;
  if (typeof key === 'bigint') return /^[+-]?\d{1,19}$/.test(value) && BigInt(value.replace(/^\+/, '')) === key;
  return parseGoFloat(value) === key;
}

function isSameNumber(key: number | bigint, value: number | bigint): boolean {
  if (typeof key === typeof value) return key === value;
  // A bigint exceeds the exact range of a double, so it can only equal an integer.
  const [whole, double] = typeof key === 'bigint' ? [key, Number(value)] : [BigInt(value), Number(key)];
  return Number.isInteger(double) && BigInt(double) === whole;
}

/** Durations first, then quantities; otherwise the value is a wildcard pattern for the key. */
function equalsText(key: string, value: unknown): boolean {
  const durations = durationPair(key, value);
  if (durations !== undefined) return seconds(durations.key) === seconds(durations.value);
  if (typeof value !== 'string') return false;
  const quantity = quantityOf(key);
  return quantity === undefined ? matchesWildcard(value, key) : quantityOf(value) === quantity;
}

function isStructure(key: unknown): boolean {
  return typeof key === 'object' && key !== null;
}

function sameShape(key: unknown, value: unknown): boolean {
  return isStructure(value) && Array.isArray(key) === Array.isArray(value);
}
