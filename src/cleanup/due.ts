import { CronError, type CronSchedule, parseCron } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { DeletingStatus } from './status.ts';

/** The schedule of a policy; undefined for one that cannot run. */
export function scheduleOf(policy: KubeObject): CronSchedule | undefined {
  const { schedule } = (policy['spec'] ?? {}) as { readonly schedule?: unknown };
  try {
    return typeof schedule === 'string' ? parseCron(schedule) : undefined;
  } catch (thrown) {
    if (thrown instanceof CronError) return undefined;
    throw thrown;
  }
}

/**
 * When the policy is to run next: at the first time after its last run, or after it was made. Of several runs that were
 * missed, one is made up for, unless its time is longer ago than the deadline.
 */
export function dueTime(
  policy: KubeObject,
  schedule: CronSchedule,
  { lastRunMs, nowMs, deadlineMs }: { lastRunMs: number | undefined; nowMs: number; deadlineMs: number | undefined },
): number | undefined {
  const created = Date.parse(policy.metadata.creationTimestamp ?? '');
  const since = lastRunMs ?? (Number.isNaN(created) ? nowMs : created);
  return schedule.next(deadlineMs === undefined ? since : Math.max(since, nowMs - deadlineMs - 1));
}

/** When the stored status says that the last run ended. */
export function lastRunOf(policy: KubeObject): number | undefined {
  const { lastExecutionTime } = (policy['status'] ?? {}) as DeletingStatus;
  const time = Date.parse(lastExecutionTime ?? '');
  return Number.isNaN(time) ? undefined : time;
}
