import { CallFailure } from '../errors.ts';
import type { Budget } from '../format/flags.ts';
import { display } from '../format/print.ts';
import { parseFloatText, parseIntegerText } from '../numbers.ts';
import { floatOf, GoObject, integerOf, narrow, type Value } from '../values.ts';

/** Go's words for using nil as if it were something. */
export const nilDereference = (): CallFailure =>
  new CallFailure('runtime error: invalid memory address or nil pointer dereference');

/** A value as text, as sprig turns it into one. */
export const textOf = (value: Value, budget: Budget): string =>
  typeof value === 'string' ? value : value instanceof GoObject ? value.toString() : display(value, budget);

const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);

/** Any value as an int64, with 0 for what is none: numbers are cut, texts are read, true is 1. */
export function toInteger(value: Value): number | bigint {
  const integer = integerOf(value);
  if (integer !== undefined) return integer;
  const real = floatOf(value);
  if (real !== undefined) return cutFloat(real);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return 0;
  const parsed = parseIntegerText(value.replace(/\.0+$/, ''), 0);
  return parsed === undefined || parsed > maxInt || parsed < minInt ? 0 : narrow(parsed);
}

/** What amd64 makes of a float that no int64 can hold is its smallest value. */
function cutFloat(value: number): number | bigint {
  const cut = Math.trunc(value);
  if (!Number.isFinite(cut)) return minInt;
  if (Number.isSafeInteger(cut)) return cut;
  const big = BigInt(cut);
  return big > maxInt || big < minInt ? minInt : narrow(big);
}

export function toFloat(value: Value): number {
  const integer = integerOf(value);
  if (integer !== undefined) return Number(integer);
  const real = floatOf(value);
  if (real !== undefined) return real;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'string' ? (parseFloatText(value) ?? 0) : 0;
}

/** A list of any element type; anything else fails with sprig's words. */
export function listOf(
  value: Value,
  refusal: (kind: string) => string,
  kind: (value: Value) => string,
): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === undefined) throw nilDereference();
  throw new CallFailure(refusal(kind(value)));
}

/** `text[start:end]` of a list or of bytes, with Go's words when it is out of range. */
export function checkBounds(start: number, end: number, length: number): void {
  if (end < 0) throw new CallFailure(`runtime error: slice bounds out of range [:${end}]`);
  if (end > length) throw new CallFailure(`runtime error: slice bounds out of range [:${end}] with length ${length}`);
  if (start < 0) throw new CallFailure(`runtime error: slice bounds out of range [${start}:]`);
  if (start > end) throw new CallFailure(`runtime error: slice bounds out of range [${start}:${end}]`);
}
