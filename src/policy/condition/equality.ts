import { deepEqual } from '../../object/index.ts';
import { matchesWildcard, parseGoFloat, quantityOf } from '../pattern/index.ts';
import { durationPair, seconds } from './duration.ts';

/** Equals: the key decides how the value is read. A key that is null equals nothing. */
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

/** NotEquals: a key that is null differs from nothing either. */
export function differs(key: unknown, value: unknown): boolean {
  if (key === null || key === undefined) return false;
  // No text to compare with: here, and only here, the quantity that the key may be is left aside.
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
  // A bigint is beyond what a double can carry exactly, so only a whole number can be meant.
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
