/**
 * Runs the on-demand jobs of Insights: each as a Job made from the CronJob of its type, followed by a watch; its
 * outcome is reported. Not here: the calls to Insights (insights), and jobs that run in this process (passed in).
 *
 * Invariants: a claimed job is in the cluster before it waits, so that a restart resumes it; two jobs of one type never
 * run at once; no more is claimed than can run; an outcome is dropped only after Insights has it. Options cannot set
 * variables that the program, the loader or a cloud client reads, and cannot expand to other variables.
 */
export type { InProcessJob } from './job-run.ts';
export { createJobMetrics, type JobMetrics } from './metrics.ts';
export { pollJobs, runJobsOnce } from './poll.ts';
export type { JobRunnerOptions, JobSummary } from './runner.ts';
export { type JobSettings, readJobSettings } from './settings.ts';
export { policySyncType } from './types.ts';
