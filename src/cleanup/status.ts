import { rfc3339 } from '../base/index.ts';
import { type Condition, type NextCondition, setCondition } from '../object/index.ts';
import type { LivePolicy } from '../runtime/index.ts';
import type { RunOutcome } from './run.ts';

/** The status of a deleting policy. Kyverno's has no time of the next run. */
export interface DeletingStatus {
  readonly lastExecutionTime?: string;
  readonly nextExecutionTime?: string;
  readonly conditionStatus?: {
    readonly ready?: boolean;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** A run that ended, and the kinds that it left out. */
export interface EndedRun extends RunOutcome {
  readonly endedMs: number;
  readonly refused: readonly string[];
}

const maxMessageChars = 2_000;
const types = { rights: 'RBACPermissionsGranted', run: 'LastRunSucceeded' } as const;

/** The status that follows from what is stored and, after one, from a run. */
export function nextStatus(
  { object, program, issues }: LivePolicy,
  stored: DeletingStatus | undefined,
  { nextMs, run, nowMs }: { readonly nextMs: number | undefined; readonly run?: EndedRun; readonly nowMs: number },
): DeletingStatus {
  const { generation } = object.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  let conditions = stored?.conditionStatus?.conditions ?? [];
  const set = (condition: Omit<NextCondition, 'observedGeneration'>) => {
    const message = condition.message.slice(0, maxMessageChars);
    conditions = setCondition(conditions, { ...condition, message, ...observed }, nowMs);
  };
  const mistakes = issues.filter(({ severity }) => severity === 'error');
  const invalid = mistakes.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  set({ type: 'Ready', ...readiness(program !== undefined, invalid, nextMs) });
  if (run) {
    set({ type: types.rights, ...rights(run.forbidden) });
    set({ type: types.run, ...runSummary(run) });
  }
  const failing = conditions.filter(({ type, status }) => status === 'False' && type !== types.run);
  const lastExecutionTime = run ? rfc3339(run.endedMs) : stored?.lastExecutionTime;
  return {
    ...(lastExecutionTime !== undefined && { lastExecutionTime }),
    ...(nextMs !== undefined && { nextExecutionTime: rfc3339(nextMs) }),
    conditionStatus: {
      ready: failing.length === 0,
      message: failing
        .map(({ message }) => message)
        .join('; ')
        .slice(0, maxMessageChars),
      conditions,
    },
  };
}

type Content = Pick<Condition, 'status' | 'reason' | 'message'>;

function readiness(isUsable: boolean, invalid: string, nextMs: number | undefined): Content {
  if (!isUsable) return { status: 'False', reason: 'InvalidPolicy', message: invalid };
  if (nextMs === undefined)
    return { status: 'False', reason: 'NeverDue', message: 'the schedule names a time that never comes' };
  return { status: 'True', reason: 'Scheduled', message: 'the policy runs by its schedule' };
}

function rights(forbidden: readonly string[]): Content {
  if (forbidden.length === 0) return { status: 'True', reason: 'Granted', message: 'nothing was forbidden' };
  const missing = forbidden.map((what) => `cannot ${what}`).join(', ');
  const message = `missing permission: ${missing}; grant it in a ClusterRole with the label supercargo.dev/aggregate-to-cleanup`;
  return { status: 'False', reason: 'MissingPermission', message };
}

function runSummary({ deleted, problems, refused, isCutShort }: EndedRun): Content {
  const count = `${deleted} ${deleted === 1 ? 'object' : 'objects'} deleted`;
  const all = [...refused.slice(0, 5), ...problems];
  if (all.length > 0) return { status: 'False', reason: 'Failed', message: `${count}; ${all.join('; ')}` };
  if (isCutShort)
    return {
      status: 'False',
      reason: 'LimitReached',
      message: `${count}, as many as one run may (cleanup.maxDeletions); the next run goes on`,
    };
  return { status: 'True', reason: 'Ended', message: count };
}
