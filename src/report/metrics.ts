import { Counter, Gauge, type Registry } from 'prom-client';
import type { WorkqueueMetrics } from '../controller/index.ts';
import { reportedStatuses } from './result.ts';

export type WriteOperation = 'create' | 'update' | 'delete';
export type WriteOutcome = 'done' | 'conflict' | 'refused' | 'failed' | 'foreign';

/** Metrics of this folder. No label carries a name from the cluster, so the number of series is small and fixed. */
export interface ReportMetrics {
  evaluated(policies: number): void;
  rescanned(policies: number): void;
  written(operation: WriteOperation, outcome: WriteOutcome, bytes?: number, times?: number): void;
  /** Of the queue of report objects to write. */
  readonly queue: WorkqueueMetrics;
}

export interface ReportGauges {
  readonly totals: readonly number[];
  readonly objects: number;
  readonly watchedKinds: number;
  /** Watched kinds that cannot be listed or watched. */
  readonly failingKinds: number;
  /** Age of the oldest change that is not in a report yet. */
  readonly lagSeconds: number;
}

/** Creates the counters, given a function that reads the gauges. */
export type OpenReportMetrics = (gauges: () => ReportGauges | undefined) => ReportMetrics;

const operations: readonly WriteOperation[] = ['create', 'update', 'delete'];
const outcomes: readonly WriteOutcome[] = ['done', 'conflict', 'refused', 'failed', 'foreign'];

/** Registers the report metrics; call once per registry. */
export function createReportMetrics(
  registry: Registry,
  queue: WorkqueueMetrics,
  gauges: () => ReportGauges | undefined,
): ReportMetrics {
  const registers = [registry];
  const evaluated = new Counter({
    name: 'supercargo_report_evaluations_total',
    help: 'Evaluations of an object by a policy for reports',
    registers,
  });
  const rescans = new Counter({
    name: 'supercargo_report_rescans_total',
    help: 'Rescans of a policy on unchanged objects',
    registers,
  });
  const writes = new Counter({
    name: 'supercargo_report_writes_total',
    help: 'Writes of report objects by operation and outcome',
    labelNames: ['operation', 'outcome'],
    registers,
  });
  const bytes = new Counter({
    name: 'supercargo_report_written_bytes_total',
    help: 'Bytes of results written',
    registers,
  });
  for (const operation of operations) for (const outcome of outcomes) writes.inc({ operation, outcome }, 0);
  new Gauge({
    name: 'supercargo_report_results',
    help: 'Results in reports by status',
    labelNames: ['result'],
    registers,
    collect() {
      const now = gauges();
      for (const [i, result] of reportedStatuses.entries()) this.set({ result }, now?.totals[i] ?? 0);
    },
  });
  const gauge = (name: string, help: string, read: (now: ReportGauges) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const now = gauges();
        this.set(now ? read(now) : 0);
      },
    });
  gauge('supercargo_report_objects', 'Report objects that should exist', ({ objects }) => objects);
  gauge('supercargo_report_watched_kinds', 'Kinds watched for reports', ({ watchedKinds }) => watchedKinds);
  gauge(
    'supercargo_report_failing_kinds',
    'Kinds that policies match and that cannot be listed or watched',
    ({ failingKinds }) => failingKinds,
  );
  gauge(
    'supercargo_report_scan_lag_seconds',
    'Age of the oldest change that is not in a report yet',
    ({ lagSeconds }) => lagSeconds,
  );
  return {
    queue,
    evaluated: (policies) => evaluated.inc(policies),
    rescanned: (policies) => rescans.inc(policies),
    written(operation, outcome, size = 0, times = 1) {
      writes.inc({ operation, outcome }, times);
      bytes.inc(size);
    },
  };
}
