import type { Job } from './manifest.ts';

/** How a job ended, as reported to Insights and logged. */
export interface JobOutcome {
  readonly status: 'completed' | 'failed';
  readonly reason: string;
  /** Ended by its time limit. The Job and its pods are then deleted at once. */
  readonly isTimeout?: boolean;
}

/** The outcome of a finished Job; undefined while it runs. */
export function outcomeOf(job: Job): JobOutcome | undefined {
  const conditions = job.status?.conditions ?? [];
  const holds = (type: string) =>
    conditions.find((condition) => condition.type === type && condition.status === 'True');
  if (holds('Complete')) return { status: 'completed', reason: 'the Job completed' };
  const failed = holds('Failed');
  if (failed === undefined) return undefined;
  const isTimeout = failed.reason === 'DeadlineExceeded';
  return {
    status: 'failed',
    reason: [failed.reason, failed.message].filter(Boolean).join(': ') || 'the Job failed',
    isTimeout,
  };
}
