import type { Job, JobCondition } from 'kubernetes-types/batch/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { isActive, isReady, isTerminating } from './pod-state.ts';
import type { Live } from './types.ts';

export const indexKey = 'batch.kubernetes.io/job-completion-index';

/** The state of a Job, from its pods and from what its status recorded of removed pods. */
export interface JobTally {
  readonly active: readonly Live<Pod>[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Restarts inside pods also count towards the backoff limit. */
  readonly restarts: number;
  readonly succeededIndexes: ReadonlySet<number>;
}

export function tallyJob({ status }: Live<Job>, pods: readonly Live<Pod>[]): JobTally {
  const active = pods.filter(isActive);
  const inPhase = (phase: string) => pods.filter((pod) => pod.status?.phase === phase);
  const succeededIndexes = new Set(parseIndexes(status?.completedIndexes ?? ''));
  for (const pod of inPhase('Succeeded')) {
    const index = indexOf(pod);
    if (index !== undefined) succeededIndexes.add(index);
  }
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: Math.max(status?.succeeded ?? 0, inPhase('Succeeded').length),
    failed: Math.max(status?.failed ?? 0, inPhase('Failed').length),
    restarts: active
      .flatMap((pod) => pod.status?.containerStatuses ?? [])
      .reduce((total, container) => total + container.restartCount, 0),
    succeededIndexes,
  };
}

export function indexOf(pod: Live<Pod>): number | undefined {
  const text = pod.metadata.annotations?.[indexKey];
  return text === undefined ? undefined : Number(text);
}

/** `0-2,5` as numbers. */
function parseIndexes(text: string): number[] {
  return text.split(',').flatMap((part) => {
    if (part === '') return [];
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

/** Numbers as `0-2,5`. */
export function renderIndexes(indexes: Iterable<number>): string {
  const parts: [number, number][] = [];
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export interface JobConclusion {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** Whether the Job has finished, and why; undefined while it runs. */
export function concludeJob(job: Live<Job>, tally: JobTally, now: number): JobConclusion | undefined {
  const { spec, status } = job;
  const failures = tally.failed + tally.restarts;
  if (failures > (spec.backoffLimit ?? 6)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  if (spec.activeDeadlineSeconds !== undefined && status?.startTime && !spec.suspend) {
    const dueMs = Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000;
    if (now >= dueMs) return failed('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const isDone =
    spec.completions === undefined
      ? tally.succeeded > 0 && tally.active.length === 0
      : tally.succeeded >= spec.completions && tally.active.length === 0;
  if (!isDone) return undefined;
  return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
}

const failed = (reason: string, message: string): JobConclusion => ({ type: 'Failed', reason, message });

/** A finished Job has two conditions: the criterion that was met, and the final one. */
export function conclusionConditions(conclusion: JobConclusion, at: string): JobCondition[] {
  const { reason, message } = conclusion;
  const first = conclusion.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  return [first, conclusion.type].map((type) => ({
    type,
    status: 'True',
    lastProbeTime: at,
    lastTransitionTime: at,
    reason,
    message,
  }));
}

export function finishedCondition({ status }: Live<Job>): JobCondition | undefined {
  return status?.conditions?.find((one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True');
}
