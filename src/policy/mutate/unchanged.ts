import { deepEqual } from '../../object/index.ts';

/** True when a patch did nothing: equal to the last key, lists in the same order. */
export function isUnchanged(before: unknown, after: unknown): boolean {
  return before === after || deepEqual(before, after);
}
