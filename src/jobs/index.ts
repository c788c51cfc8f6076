/**
 * Runs the jobs that Insights asks for: each as a Job made from the CronJob of its type, followed by a watch, and its
 * outcome reported. Not here: the calls to Insights (insights), and what is done in this process (passed in).
 *
 * Invariants: what was claimed is in the cluster before it waits, so that a restart takes it up; two jobs of one type
 * never run at once; no more is claimed than can run; an outcome is forgotten only when Insights knows it. Options
 * cannot set what the program, the loader or a client of a cloud reads, nor expand to other variables.
 */
export type { InProcessJob } from './job-run.ts';
export { jobStoreName } from './job-store.ts';
export {
  idAnnotation,
  idLabel,
  jobName,
  type Manifest,
  type ManifestOptions,
  manifestOf,
  mergeVariables,
  reportedAnnotation,
  typeLabel,
} from './manifest.ts';
export { createJobMetrics, type JobMetrics } from './metrics.ts';
export { isProtected, type OptionVariables, variableName, variablesOf } from './options.ts';
export { type JobOutcome, outcomeOf } from './outcome.ts';
export { pollJobs, runJobsOnce } from './poll.ts';
export type { ReportJob } from './reporter.ts';
export { JobRunner, type JobRunnerOptions, type JobSummary } from './runner.ts';
export { type JobSettings, readJobSettings } from './settings.ts';
export { defaultJobTypes, type JobType, type JobTypes, policySyncType, readJobTypes } from './types.ts';
