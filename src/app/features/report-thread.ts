import { Worker } from 'node:worker_threads';
import { type Logger, type LogLevel, onAbort, SupercargoError } from '../../base/index.ts';
import {
  type AdmittedResults,
  admittedResults,
  type IsExcluded,
  type OnReportProblem,
  type OpenReportMetrics,
  type Reporter,
  type ReportGauges,
  type ReportProblem,
} from '../../report/index.ts';
import type { Config } from '../config.ts';
import type { ConnectionOrigin } from '../connect.ts';
import type { FeatureEnvironment } from './feature.ts';
import { addCounts, type ReportCounts } from './report-counts.ts';

/** Our policies: those of the configured selector, all of them, or none if Kyverno runs. */
type OwnPolicies = 'selected' | 'all' | 'none';

/** The data that the thread gets at start. */
export interface ReportThreadSetup {
  readonly config: Config;
  /** Determined once for the whole program: both threads must use the same. */
  readonly ownPolicies: OwnPolicies;
  readonly origin: ConnectionOrigin;
}

export type ToReportThread =
  | { readonly kind: 'admitted'; readonly admitted: AdmittedResults }
  | { readonly kind: 'logLevel'; readonly level: LogLevel }
  | { readonly kind: 'stop' };
export type FromReportThread =
  | { readonly kind: 'counts'; readonly counts: ReportCounts; readonly isIdle: boolean }
  | { readonly kind: 'problem'; readonly policy: string; readonly problem: ReportProblem | undefined }
  /** Its work is done. Unreferenced timers may still keep the thread alive. */
  | { readonly kind: 'ended'; readonly failure?: string };

/** A reporter as the feature sees it, in any thread. Its state may be one second old. */
export type RemoteReporter = Omit<Reporter, 'takeAdmitted'>;

interface ReportThreadOptions extends ReportThreadSetup {
  readonly program: URL;
  readonly onReload: FeatureEnvironment['onReload'];
  readonly isExcluded: IsExcluded;
  readonly onProblem?: OnReportProblem | undefined;
  readonly metrics: OpenReportMetrics;
  /** The time it may take to stop; its work can be interrupted anywhere. */
  readonly graceMs?: number;
  readonly log: Logger;
}

/**
 * The reporter in a thread with its own connection: a scan does not block this event loop, and its garbage collection
 * does not pause this thread. Each run is a new thread.
 */
export function createReportThread(options: ReportThreadOptions): RemoteReporter {
  const { program, ownPolicies, origin, isExcluded, graceMs = 10_000, log } = options;
  let worker: Worker | undefined;
  let { config } = options;
  let gauges: ReportGauges | undefined;
  let isIdle = false;
  const problems = new Set<string>();
  let isStopping = false;
  const metrics = options.metrics(() => gauges);
  const send = (message: ToReportThread) => worker?.postMessage(message);
  options.onReload(({ logLevel }) => {
    config = { ...config, logLevel };
    send({ kind: 'logLevel', level: logLevel });
  });
  return {
    async run(signal) {
      const setup: ReportThreadSetup = { config, ownPolicies, origin: { ...origin, env: { ...origin.env } } };
      const running = new Worker(program, { workerData: setup });
      [worker, isStopping] = [running, false];
      let failure: unknown;
      running.on('message', (message: FromReportThread) => {
        if (message.kind === 'ended') {
          if (message.failure !== undefined) failure = new SupercargoError('report-thread', message.failure);
          void running.terminate();
        } else if (message.kind === 'problem') {
          if (message.problem) problems.add(message.policy);
          else problems.delete(message.policy);
          options.onProblem?.(message.policy, message.problem);
        } else {
          addCounts(metrics, message.counts);
          gauges = message.counts.gauges;
          isIdle = message.isIdle;
        }
      });
      running.on('error', (thrown) => {
        failure = thrown;
      });
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      let insist: NodeJS.Timeout | undefined;
      const stop = () => {
        isStopping = true;
        send({ kind: 'stop' });
        insist = setTimeout(() => {
          log.warn('the report thread did not stop in time and is terminated');
          void running.terminate();
        }, graceMs);
      };
      const unlink = onAbort(signal, stop);
      await ended;
      unlink();
      clearTimeout(insist);
      [worker, gauges, isIdle] = [undefined, undefined, false];
      // A terminated thread could not clear them.
      for (const policy of problems) options.onProblem?.(policy, undefined);
      problems.clear();
      if (failure !== undefined) throw failure;
      if (!signal.aborted) throw new SupercargoError('report-thread', 'the report thread has ended');
    },
    get isRunning() {
      // Results found while it stops are left to the next leader.
      return worker !== undefined && !isStopping;
    },
    get isIdle() {
      return isIdle;
    },
    takeAdmissionResults(record) {
      const admitted = worker && admittedResults(record, isExcluded);
      if (admitted) send({ kind: 'admitted', admitted });
    },
  };
}
