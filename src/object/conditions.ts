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

/** Conditions of all kinds. Those of the older kinds (Deployment, Job, Pod) omit fields. */
interface AnyCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** Replaces the condition of the same type. lastTransitionTime is kept when the status does not change. */
export function withCondition<T extends AnyCondition>(list: readonly T[], next: T): T[] {
  const before = findCondition(list, next.type);
  if (!before) return [...list, next];
  const kept = before.status === next.status && before.lastTransitionTime !== undefined;
  const merged = kept ? { ...next, lastTransitionTime: before.lastTransitionTime } : next;
  return list.map((one) => (one === before ? merged : one));
}

export function withoutCondition<T extends AnyCondition>(list: readonly T[], type: string): T[] {
  return list.filter((one) => one.type !== type);
}

export function findCondition<T extends AnyCondition>(
  conditions: readonly T[] | undefined,
  type: string,
): T | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** False also when there is no such condition. */
export function isTrue(conditions: readonly AnyCondition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}
