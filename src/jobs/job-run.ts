import {
  type Clock,
  createLimiter,
  errorMessage,
  isAbort,
  type Limiter,
  type Logger,
  linkAbort,
} from '../base/index.ts';
import type { OnDemandJob } from '../insights/index.ts';
import type { ClusterJobs } from './cluster-jobs.ts';
import type { JobStore } from './job-store.ts';
import { manifestOf } from './manifest.ts';
import { variablesOf } from './options.ts';
import type { JobOutcome } from './outcome.ts';
import { type ReporterOptions, reportUntilAccepted } from './reporter.ts';
import type { JobSettings } from './settings.ts';

/**
 * Runs a job in this process. The options of the job are passed as variables; an exception is the reason of the
 * failure.
 */
export type InProcessJob = (variables: ReadonlyMap<string, string>, signal: AbortSignal) => Promise<void>;

interface JobRunOptions {
  readonly jobs: ClusterJobs;
  readonly store: JobStore;
  readonly reporter: ReporterOptions;
  readonly namespace: string;
  readonly installation: string;
  readonly settings: JobSettings;
  readonly inProcess: ReadonlyMap<string, InProcessJob>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The job no longer runs; reporting it to Insights may take longer. */
  readonly onEnd: (job: OnDemandJob, outcome: JobOutcome) => void;
  /** The outcome could not be reported, and was given up for now. */
  readonly onUnreported: () => void;
  /** A job that waited for another of its type starts. */
  readonly onTurn: () => void;
}

/** What was created for a job before it starts. */
type Made =
  | { readonly how: 'job'; readonly name: string; readonly isSuspended: boolean; readonly ranForMs: number }
  | { readonly how: 'here' }
  | { readonly how: 'not'; readonly reason: string };

/** How a job ended, and where the outcome is stored so far. */
interface JobEnd {
  readonly outcome: JobOutcome;
  readonly jobName?: string | undefined;
  readonly isNoted?: boolean;
}

const fallbackTimeoutMs = 5 * 60_000;

/** Sorts as text in the order of claims, across restarts too. */
const orderOf = (nowMs: number, count: number) =>
  `${String(nowMs).padStart(15, '0')}-${String(count).padStart(9, '0')}`;

/** The reason of a time-out, with what the job says it was doing. */
function timeoutReason(limit: AbortSignal, thrown: unknown): string {
  const reason = errorMessage(limit.reason);
  return thrown === limit.reason || isAbort(thrown) ? reason : `${reason}: ${errorMessage(thrown)}`;
}

/** One job from its claim until Insights has its outcome. */
export class JobRun {
  private readonly all: Limiter;
  private readonly limiters = new Map<string, Limiter>();
  private claimed = 0;

  constructor(private readonly options: JobRunOptions) {
    this.all = createLimiter(options.settings.maxConcurrentJobs);
  }

  /** Starts a job that was just claimed. */
  async begin(job: OnDemandJob, signal: AbortSignal): Promise<void> {
    if (!this.options.settings.types.has(job.reportType)) {
      const reason = `the type ${JSON.stringify(job.reportType)} is unknown here`;
      return this.finish(job, { outcome: { status: 'failed', reason } }, signal);
    }
    const order = orderOf(this.options.clock.now(), ++this.claimed);
    // Checked and reserved without an await: of two jobs of one type that arrive together, the second waits.
    if (this.limiterOf(job).active === 0) return this.takeTurn(job, () => this.make(job, { order }, signal), signal);
    const making = this.makeWaiting(job, order, signal);
    // Avoids an unhandled rejection; `takeTurn` reports an abort while it waits.
    making.catch(() => undefined);
    await this.takeTurn(job, () => making, signal);
  }

  /** Jobs that wait for another of their type. */
  get waiting(): number {
    return [...this.limiters.values()].reduce((sum, limiter) => sum + limiter.waiting, 0);
  }

  /** A Job that an earlier process created. */
  resume(job: OnDemandJob, made: Omit<Extract<Made, { how: 'job' }>, 'how'>, signal: AbortSignal): Promise<void> {
    return this.takeTurn(job, async () => ({ how: 'job', ...made }), signal);
  }

  /** A job that an earlier process ran itself. It runs again from the start. */
  redo(job: OnDemandJob, signal: AbortSignal): Promise<void> {
    return this.takeTurn(job, async () => ({ how: 'here' }), signal);
  }

  /** An outcome that an earlier process could not report. Its Job is deleted if it still exists. */
  async reportAgain(
    job: OnDemandJob,
    outcome: JobOutcome,
    jobName: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (jobName !== undefined) await this.options.jobs.delete(jobName, signal);
    await this.finish(job, { outcome, isNoted: true }, signal);
  }

  private async takeTurn(job: OnDemandJob, prepare: () => Promise<Made>, signal: AbortSignal): Promise<void> {
    const end = await this.limiterOf(job).run(() =>
      this.all.run(async (): Promise<JobEnd> => {
        this.options.onTurn();
        signal.throwIfAborted();
        const made = await prepare();
        if (made.how === 'not') return { outcome: { status: 'failed', reason: made.reason } };
        if (made.how === 'here') return { outcome: await this.doHere(job, signal) };
        return { outcome: await this.followJob(job, made, signal), jobName: made.name };
      }),
    );
    if (end.outcome.isTimeout && end.jobName !== undefined) {
      // Stored first: deleting the Job removes the only other record of the outcome.
      await this.note(job, end.outcome, signal);
      await this.options.jobs.delete(end.jobName, signal);
      await this.finish(job, { outcome: end.outcome, isNoted: true }, signal);
    } else await this.finish(job, end, signal);
  }

  /** Stores the job, so that a restart finds it while it waits. */
  private async makeWaiting(job: OnDemandJob, order: string, signal: AbortSignal): Promise<Made> {
    const made = await this.make(job, { order, isSuspended: true }, signal);
    if (made.how === 'here') await this.note(job, undefined, signal);
    return made;
  }

  private async make(
    job: OnDemandJob,
    { order, isSuspended = false }: { readonly order: string; readonly isSuspended?: boolean },
    signal: AbortSignal,
  ): Promise<Made> {
    const { jobs, settings, namespace, installation, inProcess, random, log } = this.options;
    const type = settings.types.get(job.reportType)!;
    try {
      const cronJob = await jobs.findCronJob(type.cronJob, signal);
      if (cronJob === undefined) {
        if (inProcess.has(job.reportType)) return { how: 'here' };
        return { how: 'not', reason: `there is no CronJob ${type.cronJob} in namespace ${namespace}` };
      }
      const suffix = Math.floor(random() * 36 ** 5)
        .toString(36)
        .padStart(5, '0');
      const manifest = manifestOf({ job, type, cronJob, namespace, installation, isSuspended, order, suffix });
      if ('problem' in manifest) return { how: 'not', reason: manifest.problem };
      if (manifest.ignored.length > 0)
        log.warn('Options that may not be set from outside were dropped', { id: job.id, variables: manifest.ignored });
      await jobs.create(manifest.object, signal);
      return { how: 'job', name: manifest.object.metadata.name ?? '', isSuspended, ranForMs: 0 };
    } catch (thrown) {
      signal.throwIfAborted();
      return { how: 'not', reason: `the Job cannot be created: ${errorMessage(thrown)}` };
    }
  }

  private async followJob(
    job: OnDemandJob,
    made: Extract<Made, { how: 'job' }>,
    signal: AbortSignal,
  ): Promise<JobOutcome> {
    const { jobs, log } = this.options;
    if (made.isSuspended) await jobs.resume(made.name, signal);
    log.info('Job started', { id: job.id, type: job.reportType, job: made.name });
    const timeoutMs = this.timeoutMsOf(job);
    const leftMs = timeoutMs - made.ranForMs;
    const outcome = await this.whileReporting(job, signal, () => jobs.ended(made.name, leftMs, signal));
    return outcome.isTimeout ? { ...outcome, reason: `it did not end within ${timeoutMs / 1000}s` } : outcome;
  }

  private async doHere(job: OnDemandJob, signal: AbortSignal): Promise<JobOutcome> {
    const { inProcess, clock, log } = this.options;
    const work = inProcess.get(job.reportType);
    if (work === undefined)
      return { status: 'failed', reason: 'it was started by a process that could run it; this one cannot' };
    const { variables, problems } = variablesOf(job.options);
    if (problems.length > 0) return { status: 'failed', reason: problems.join('; ') };
    await this.note(job, undefined, signal);
    log.info('Job started', { id: job.id, type: job.reportType });
    const limit = linkAbort(signal);
    const timeoutMs = this.timeoutMsOf(job);
    const cancel = clock.after(timeoutMs, () => limit.abort(new Error(`it did not end within ${timeoutMs / 1000}s`)));
    try {
      return await this.whileReporting(job, signal, async () => {
        try {
          await work(variables, limit.signal);
          return { status: 'completed', reason: 'done' };
        } catch (thrown) {
          signal.throwIfAborted();
          return {
            status: 'failed',
            reason: limit.signal.aborted ? timeoutReason(limit.signal, thrown) : errorMessage(thrown),
          };
        }
      });
    } finally {
      cancel();
      limit.unlink();
    }
  }

  /** Reports `running` to Insights. A job that ends before Insights accepts that is still reported as running once. */
  private async whileReporting(
    { id }: OnDemandJob,
    signal: AbortSignal,
    work: () => Promise<JobOutcome>,
  ): Promise<JobOutcome> {
    const over = linkAbort(signal);
    const message = { id, status: 'running' } as const;
    const recorder = reportUntilAccepted(this.options.reporter, message, signal, over.signal).catch(() => false);
    try {
      return await work();
    } finally {
      over.unlink();
      over.abort();
      await recorder;
    }
  }

  private async finish(
    job: OnDemandJob,
    { outcome, jobName, isNoted = false }: JobEnd,
    signal: AbortSignal,
  ): Promise<void> {
    const { jobs, store, reporter, log, onEnd, onUnreported } = this.options;
    const { id, reportType } = job;
    const { status, reason } = outcome;
    onEnd(job, outcome);
    log[status === 'completed' ? 'info' : 'warn']('Job finished', { id, type: reportType, status, reason });
    if (jobName === undefined && !isNoted) await this.note(job, outcome, signal);
    if (!(await reportUntilAccepted(reporter, { id, status }, signal))) return onUnreported();
    if (jobName === undefined) await store.remove(id, signal);
    else await jobs.markReported(jobName, status, signal);
  }

  /** Stores what a restart needs. If this fails, the job is lost only in case of a restart. */
  private async note(job: OnDemandJob, outcome: JobOutcome | undefined, signal: AbortSignal): Promise<void> {
    try {
      const { id, reportType } = job;
      await this.options.store.put({ id, reportType, ...(outcome === undefined ? {} : { outcome }) }, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      this.options.log.warn('A job could not be stored for a restart', { id: job.id, error: errorMessage(thrown) });
    }
  }

  private timeoutMsOf({ reportType }: OnDemandJob): number {
    return this.options.settings.types.get(reportType)?.timeoutMs ?? fallbackTimeoutMs;
  }

  private limiterOf({ reportType }: OnDemandJob): Limiter {
    const limiter = this.limiters.get(reportType) ?? createLimiter(1);
    this.limiters.set(reportType, limiter);
    return limiter;
  }
}
