import { setMaxListeners } from 'node:events';
import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { Discovery, KubeClient } from '../kube/index.ts';
import type { LivePolicies, LookUps } from '../runtime/index.ts';
import { AdmissionForms } from './admission-forms.ts';
import { type AdmissionRecord, AdmissionResults, type AdmittedResults, admittedResults } from './admission-results.ts';
import { type CheckpointOptions, readCheckpoint, writeCheckpoints } from './checkpoints.ts';
import type { OnReportProblem } from './kind-failures.ts';
import { dedicatedScanPace, sharedScanPace, waitFor } from './loop.ts';
import type { OpenReportMetrics, ReportGauges } from './metrics.ts';
import { readOutboxes } from './outbox-reader.ts';
import { readBack } from './read-back.ts';
import { ReportChanges } from './report-changes.ts';
import { ReportWriter, type WriterLimits } from './report-writer.ts';
import { ResultIndex } from './result-index.ts';
import { ScanState } from './scan-state.ts';
import { Scanner } from './scanner.ts';
import type { IsExcluded } from './scope.ts';

export interface ReporterOptions {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly policies: LivePolicies;
  readonly lookUps: LookUps;
  /** The value of our label; reports with another value are not ours. */
  readonly installation: string;
  /** A report per policy and namespace; false for the old form, a report per namespace. */
  readonly isSplit: boolean;
  readonly isExcluded?: IsExcluded;
  /**
   * Our own namespace, with the outboxes of other replicas and the record of reports with results of admission; absent
   * for neither.
   */
  readonly outboxNamespace?: string | undefined;
  readonly rescanMs?: number;
  /** Absent to evaluate everything at each start. */
  readonly checkpoint?: CheckpointOptions | undefined;
  readonly targetBytes?: number;
  readonly limits?: Partial<WriterLimits>;
  /** Whether the thread does nothing else: no admission and no lease waits for it. */
  readonly isAlone?: boolean;
  readonly onProblem?: OnReportProblem | undefined;
  readonly metrics: OpenReportMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps policy reports up to date. Can be run again after it stopped; each run computes everything anew. */
export interface Reporter {
  run(signal: AbortSignal): Promise<void>;
  readonly isRunning: boolean;
  /** Taken while it runs; ignored otherwise. */
  takeAdmissionResults(record: AdmissionRecord): void;
  /** The same with results that were already extracted. */
  takeAdmitted(admitted: AdmittedResults): void;
  /** Whether there is nothing left to evaluate or write. */
  readonly isIdle: boolean;
}

interface ReporterRun {
  readonly state: ScanState;
  readonly changes: ReportChanges;
  readonly index: ResultIndex;
  readonly scanner: Scanner;
  readonly writer: ReportWriter;
  readonly admission: AdmissionResults;
  readonly forms: AdmissionForms | undefined;
}

const hourMs = 3_600_000;

export function createReporter(options: ReporterOptions): Reporter {
  const { client, policies, log, clock, checkpoint, rescanMs = hourMs } = options;
  let activeRun: ReporterRun | undefined;
  const metrics = options.metrics(() => activeRun && gaugesOf(activeRun, clock));

  const createRun = (): ReporterRun => {
    const { isSplit, targetBytes, isExcluded = () => false } = options;
    // Built from the last stage to the first: each stage gets only the stages after it.
    const state = new ScanState();
    const changes = new ReportChanges();
    const index = new ResultIndex({
      isSplit,
      ...(targetBytes === undefined ? {} : { targetBytes }),
      nowSeconds: () => Math.floor(clock.now() / 1000),
      onChange: (key, sinceMs) => changes.add(key, sinceMs),
    });
    const { installation, outboxNamespace: namespace } = options;
    const forms =
      namespace === undefined ? undefined : new AdmissionForms({ client, installation, namespace, clock, log });
    const writer = new ReportWriter({
      client,
      onAdmissionResults: (key, form) => forms?.note(key, form),
      installation,
      index,
      changes,
      progressOf: (policy) => state.progressOf(policy),
      ...(options.limits ? { limits: options.limits } : {}),
      metrics,
      clock,
      log,
    });
    const admission = new AdmissionResults({ policies, index, state, clock });
    const scanner = new Scanner({
      ...options,
      index,
      state,
      isExcluded,
      rescanMs,
      pace: options.isAlone ? dedicatedScanPace : sharedScanPace,
      metrics,
      onSeen: (watch, key) => admission.seen(watch, key),
    });
    return { state, changes, index, scanner, writer, admission, forms };
  };

  const scanAfterReading = async (
    { scanner, writer, admission, forms }: ReporterRun,
    signal: AbortSignal,
  ): Promise<void> => {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await writer.reports.synced(signal);
        await scanner.policiesSynced(signal);
        await readBack({
          client,
          forms: (await forms?.load(signal)) ?? new Map(),
          policies,
          log,
          signal,
          forget: (report) => forms?.note(report, undefined),
          restore: (of, content) => admission.restore(of, content),
        });
        const kept = checkpoint && (await readCheckpoint({ ...checkpoint, clock, log }, policies, rescanMs));
        scanner.keep(kept);
        writer.reports.restore(kept?.reports ?? []);
        break;
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn('reading our reports failed; retrying', { error: errorMessage(thrown) });
        await clock.sleep(Math.min(30_000, 500 * 2 ** failures++), signal).catch(() => {});
      }
    }
    await scanner.run(signal);
  };

  const readOthers = async ({ scanner, changes, admission }: ReporterRun, signal: AbortSignal): Promise<void> => {
    const { outboxNamespace: namespace, installation } = options;
    if (namespace === undefined) return await waitFor(signal, () => {});
    await scanner.policiesSynced(signal);
    await readOutboxes(
      {
        client,
        installation,
        namespace,
        take: (entry) => admission.take(entry),
        isWaitingFor: (uid) => admission.isWaitingFor(uid),
        oldestChangeMs: () => changes.oldestMs,
        clock,
        log,
      },
      signal,
    );
  };

  return {
    async run(signal) {
      const current = createRun();
      activeRun = current;
      const stop = new AbortController();
      const until = AbortSignal.any([signal, stop.signal]);
      // One listener per watch, and there are as many watches as kinds that policies match.
      setMaxListeners(0, until);
      const guarded = async (work: Promise<void>) => {
        try {
          await work;
        } finally {
          stop.abort();
        }
      };
      try {
        // After the last write.
        const recorded = new AbortController();
        await Promise.all([
          guarded(current.writer.run(until).finally(() => recorded.abort())),
          guarded(scanAfterReading(current, until)),
          guarded(readOthers(current, until)),
          ...(current.forms ? [current.forms.run(recorded.signal)] : []),
          ...(checkpoint ? [writeCheckpoints({ ...checkpoint, clock, log }, takeFrom(current), until)] : []),
        ]);
      } finally {
        if (activeRun === current) activeRun = undefined;
      }
    },
    get isRunning() {
      return activeRun !== undefined;
    },
    takeAdmissionResults(record) {
      const admitted = activeRun && admittedResults(record, options.isExcluded ?? (() => false));
      if (admitted) activeRun?.admission.take(admitted);
    },
    takeAdmitted: (admitted) => activeRun?.admission.take(admitted),
    get isIdle() {
      return activeRun ? activeRun.scanner.isIdle && activeRun.writer.isIdle : false;
    },
  };
}

const takeFrom =
  ({ scanner, writer }: ReporterRun) =>
  (program: string) =>
    scanner.takeCheckpoint(program, [...writer.reports.knownForms()]);

function gaugesOf({ index, scanner, state, changes }: ReporterRun, clock: Clock): ReportGauges {
  const nowMs = clock.monotonicMs();
  const oldest = Math.min(scanner.oldestChangeMs ?? nowMs, changes.oldestMs ?? nowMs);
  return {
    totals: index.totals,
    objects: index.partCount,
    watchedKinds: state.watches.size,
    failingKinds: [...state.watches.values()].filter(({ failure }) => failure).length,
    lagSeconds: (nowMs - oldest) / 1000,
  };
}
