import { rfc3339 } from '../base/index.ts';
import { deepEqual } from './equality.ts';
import type { Condition } from './types.ts';

export type NextCondition = Omit<Condition, 'lastTransitionTime'> & Partial<Pick<Condition, 'lastTransitionTime'>>;

/**
 * The conditions with `next` in place of the one of its type, or appended. The transition time is kept while the status
 * stays the same. Returns the same list when nothing changes.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  next: NextCondition,
  nowMs: number,
): readonly Condition[] {
  const before = findCondition(conditions, next.type);
  const isTransition = before?.status !== next.status;
  const condition: Condition = {
    ...next,
    lastTransitionTime:
      isTransition || !before ? (next.lastTransitionTime ?? rfc3339(nowMs)) : before.lastTransitionTime,
  };
  if (!before) return [...(conditions ?? []), condition];
  if (conditions && deepEqual(before, condition)) return conditions;
  return (conditions ?? []).map((old) => (old === before ? condition : old));
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** False also when there is no such condition. */
export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}
