import { LimitReached } from '../errors.ts';
import type { Budget } from '../format/flags.ts';
import { dictGet, GoObject, isDict, isNilList, Num, sortedKeys, typeName, type Value } from '../values.ts';

const maxDepth = 500;

/** Go's reflect.DeepEqual: the same types all the way down, and the same values. */
export function deepEqual(budget: Budget, a: Value, b: Value, depth = 0): boolean {
  budget.step();
  if (depth > maxDepth)
    throw new LimitReached('template-depth-limit', 'the values are nested too deeply to be compared');
  const isNil = a === null || a === undefined;
  if (isNil || b === null || b === undefined) return isNil && (b === null || b === undefined);
  if (typeName(a) !== typeName(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length || isNilList(a) !== isNilList(b)) return false;
    return a.every((item, i) => deepEqual(budget, item, b[i], depth + 1));
  }
  if (isDict(a) && isDict(b)) {
    const keys = sortedKeys(a);
    if (keys.length !== sortedKeys(b).length) return false;
    return keys.every((key) => {
      const other = dictGet(b, key);
      return other !== undefined && deepEqual(budget, dictGet(a, key), other, depth + 1);
    });
  }
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same integer.
  if (a instanceof Num && b instanceof Num) return a.value == b.value;
  if (a instanceof GoObject && b instanceof GoObject) return a.toString() === b.toString();
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same integer.
  return typeof a === 'bigint' || typeof b === 'bigint' ? a == b : a === b;
}
