import type { Run } from './run.ts';

export type PlainObject = Readonly<Record<string, unknown>>;

/** An expression handed to a function (`&a.b`), to be applied to values of the function's choice. */
export class Reference {
  /** Answers null where the expression misses a key. */
  constructor(readonly apply: (value: unknown, run: Run) => unknown) {}
}

export function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference);
}

export function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** JMESPath's idea of false: null, false, and everything empty. */
export function isFalse(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Reference) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

/** Looking at a number or a text inside a list or an object costs this much less than at another list. */
const scalarsPerUnit = 4;

/** Deep equality; pays for what it walks, since shared parts can make a small value a large tree. */
export function isEqual(a: unknown, b: unknown, run: Run): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return isNumber(a) && isNumber(b) && !(a < b) && !(a > b);
  }
  run.charge(1);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    run.charge(a.length / scalarsPerUnit);
    for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i], run)) return false;
    return true;
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  run.charge(keys.length / scalarsPerUnit);
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], run));
}

/** Order of code points, which is the order of UTF-8 bytes; UTF-16 units differ beyond the basic plane. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const isSurrogateX = x >= 0xd800 && x <= 0xdfff;
    const isSurrogateY = y >= 0xd800 && y <= 0xdfff;
    if (isSurrogateX !== isSurrogateY) return isSurrogateX ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Refuses results that only look small: shared parts count as often as they appear. */
export function measure(value: unknown, run: Run, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > maxResultDepth) throw run.error('jmespath-limit', 'the result nests too deep', 0);
  const items = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  run.charge(1 + items.length / scalarsPerUnit);
  for (const item of items) measure(item, run, depth + 1);
}

const maxResultDepth = 1000;
