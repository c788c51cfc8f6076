import { backoffMs, type Clock, errorMessage, type Logger, retryOf } from '../base/index.ts';
import { InsightsError, type JobStatus } from '../insights/index.ts';

/** Reports the status of a job to Insights. Wired by `app`. */
export type ReportJob = (id: string, status: JobStatus, signal: AbortSignal) => Promise<void>;

export interface ReporterOptions {
  readonly report: ReportJob;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** For a program that runs once: what is not reported by then is left to the next run. */
  readonly giveUpAfterMs?: number | undefined;
}

/** Errors that a retry cannot fix: the job is unknown to Insights, or the request is invalid. */
const hopeless: ReadonlySet<string> = new Set(['insights-not-found', 'insights-refused']);

/**
 * Reports until accepted. True if Insights has the status or will never accept it; false if it was given up for now. A
 * rejected token is retried: a person may fix it.
 */
export async function reportUntilAccepted(
  { report, clock, random, log, giveUpAfterMs }: ReporterOptions,
  message: { readonly id: string; readonly status: JobStatus },
  signal: AbortSignal,
  /** Ends the retries, but not a request in progress. */
  over: AbortSignal = signal,
): Promise<boolean> {
  const { id, status } = message;
  const startMs = clock.monotonicMs();
  for (let attempt = 0; ; attempt++) {
    try {
      await report(id, status, signal);
      return true;
    } catch (thrown) {
      over.throwIfAborted();
      const error = errorMessage(thrown);
      if (thrown instanceof InsightsError && hopeless.has(thrown.code)) {
        log.error('Insights rejected the status of a job', { id, status, error });
        return true;
      }
      const named = retryOf(thrown);
      const ownMs = backoffMs(attempt, { baseMs: 1_000, maxMs: 60_000, random });
      const pauseMs = typeof named === 'object' ? Math.max(named.afterMs, ownMs) : ownMs;
      if (giveUpAfterMs !== undefined && clock.monotonicMs() + pauseMs - startMs > giveUpAfterMs) {
        log.error('The status of a job could not be reported; the next run will try again', { id, status, error });
        return false;
      }
      if (attempt === 0) log.warn('The status of a job could not be reported yet', { id, status, error });
      await clock.sleep(pauseMs, over);
    }
  }
}
