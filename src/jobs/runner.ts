import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { Claim, OnDemandJob } from '../insights/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { type ClusterJobs, createClusterJobs } from './cluster-jobs.ts';
import { type InProcessJob, JobRun } from './job-run.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { idAnnotation, idLabel, type Job, orderAnnotation, reportedAnnotation, typeLabel } from './manifest.ts';
import type { JobMetrics } from './metrics.ts';
import type { ReportJob } from './reporter.ts';
import type { JobSettings } from './settings.ts';

export interface JobRunnerOptions {
  readonly claim: (limit: number, signal: AbortSignal) => Promise<Claim>;
  readonly report: ReportJob;
  readonly client: KubeClient;
  /** The namespace of the CronJobs and of the created Jobs. */
  readonly namespace: string;
  readonly installation: string;
  readonly settings: JobSettings;
  /** By type: runs in this process if there is no CronJob for it. */
  readonly inProcess: ReadonlyMap<string, InProcessJob>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics?: JobMetrics | undefined;
  readonly log: Logger;
  readonly giveUpReportingAfterMs?: number | undefined;
}

export interface JobSummary {
  readonly completed: number;
  readonly failed: number;
  /** Ended, but not reported to Insights. */
  readonly unreported: number;
}

/** Runs claimed jobs: jobs of one type one after another, different types in parallel. */
export class JobRunner {
  private readonly jobs: ClusterJobs;
  private readonly store: JobStore;
  private readonly jobRun: JobRun;
  /** Claimed and not ended, by id. */
  private readonly open = new Set<string>();
  /** The same, plus those whose outcome is not reported yet. */
  private readonly tasks = new Map<string, Promise<void>>();
  private readonly counts = { completed: 0, failed: 0, unreported: 0 };

  constructor(private readonly options: JobRunnerOptions) {
    const { report, clock, random, log, giveUpReportingAfterMs: giveUpAfterMs } = options;
    this.jobs = createClusterJobs(options);
    this.store = createJobStore(options);
    this.jobRun = new JobRun({
      ...options,
      jobs: this.jobs,
      store: this.store,
      reporter: { report, clock, random, log, giveUpAfterMs },
      onEnd: ({ id, reportType }, { status }) => {
        this.open.delete(id);
        this.counts[status]++;
        options.metrics?.finished(options.settings.types.has(reportType) ? reportType : 'unknown', status);
      },
      onUnreported: () => {
        this.counts.unreported++;
        options.metrics?.unreported();
      },
      onTurn: () => this.observe(),
    });
  }

  /**
   * How many more jobs may be claimed. A job that waits for another of its type takes no place from other types. As
   * many may wait as may run, because Insights chooses the types.
   */
  get room(): number {
    const { maxConcurrentJobs } = this.options.settings;
    const { waiting } = this.jobRun;
    return Math.max(0, maxConcurrentJobs - Math.max(waiting, this.open.size - waiting));
  }

  get summary(): JobSummary {
    return { ...this.counts };
  }

  /** Watches the Jobs in the cluster until the signal aborts. Everything else requires it. */
  follow(signal: AbortSignal): Promise<void> {
    return this.jobs.run(signal);
  }

  /** Resumes jobs that an earlier process did not finish or did not report. */
  async recover(signal: AbortSignal): Promise<void> {
    const isWaiting = (job: Job) => (job.spec?.suspend === true ? 1 : 0);
    const unreported = (await this.jobs.existing(signal))
      .filter(({ metadata }) => metadata.annotations?.[reportedAnnotation] === undefined)
      .sort((a, b) => isWaiting(a) - isWaiting(b) || byOrder(a, b));
    const names = new Map(unreported.map((job) => [identityOf(job).id, job.metadata.name ?? '']));
    const entries = await this.store.list(signal);
    const isEnded = new Set(entries.flatMap(({ id, outcome }) => (outcome === undefined ? [] : [id])));
    for (const found of unreported) {
      const job = identityOf(found);
      if (isEnded.has(job.id)) continue;
      const name = found.metadata.name ?? '';
      const made = { name, isSuspended: found.spec?.suspend === true, ranForMs: this.jobs.ranForMs(found) };
      this.start(job, () => this.jobRun.resume(job, made, signal), signal);
    }
    for (const { id, reportType, outcome } of entries) {
      const job = { id, reportType, options: {} };
      const name = names.get(id);
      if (outcome !== undefined) this.start(job, () => this.jobRun.reportAgain(job, outcome, name, signal), signal);
      else if (name === undefined) this.start(job, () => this.jobRun.redo(job, signal), signal);
    }
    if (this.tasks.size > 0) this.options.log.info('Jobs resumed', { count: this.tasks.size });
  }

  /** Claims as many jobs as there is room for, and starts them. */
  async claim(signal: AbortSignal): Promise<void> {
    const { log } = this.options;
    if (this.room === 0) return;
    const { jobs, unreadable } = await this.options.claim(this.room, signal).catch((thrown: unknown) => {
      if (!signal.aborted) this.options.metrics?.claimFailed();
      throw thrown;
    });
    if (unreadable > 0) log.error('Insights returned jobs without an id', { count: unreadable });
    for (const job of jobs) {
      log.info('Job claimed', { id: job.id, type: job.reportType });
      this.start(job, () => this.jobRun.begin(job, signal), signal);
    }
  }

  /** Resolves when nothing that was started is left to do. */
  async settled(): Promise<void> {
    while (this.tasks.size > 0) await Promise.all(this.tasks.values());
  }

  private start({ id, reportType }: OnDemandJob, work: () => Promise<void>, signal: AbortSignal): void {
    const { log } = this.options;
    if (this.tasks.has(id)) {
      log.warn('Insights returned a job that is already known', { id, type: reportType });
      return;
    }
    this.open.add(id);
    const task = work()
      .catch((thrown: unknown) => {
        if (!signal.aborted) log.error('A job could not be finished', { id, error: errorMessage(thrown) });
      })
      .finally(() => {
        this.open.delete(id);
        this.tasks.delete(id);
        this.observe();
      });
    this.tasks.set(id, task);
    this.observe();
  }

  private observe(): void {
    const { waiting } = this.jobRun;
    this.options.metrics?.observe(Math.max(0, this.open.size - waiting), waiting);
  }
}

/** By the order of claims: several are created within one second. */
function byOrder(a: Job, b: Job): number {
  const [first, second] = [a, b].map(({ metadata }) => metadata.annotations?.[orderAnnotation] ?? '');
  const isKnown = first !== '' && second !== '' && first !== second;
  return isKnown ? (first! < second! ? -1 : 1) : createdAt(a) - createdAt(b);
}

const createdAt = ({ metadata }: Job) => Date.parse(metadata.creationTimestamp ?? '') || 0;

function identityOf({ metadata }: Job): OnDemandJob {
  const { labels = {}, annotations = {} } = metadata;
  return {
    id: annotations[idAnnotation] ?? labels[idLabel] ?? '',
    reportType: labels[typeLabel] ?? '',
    options: {},
  };
}
