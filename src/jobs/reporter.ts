import { backoffMs, type Clock, errorMessage, type Logger, retryOf } from '../base/index.ts';
import { InsightsError, type JobStatus } from '../insights/index.ts';

/** Tells Insights how a job stands. Wired by `app`. */
export type ReportJob = (id: string, status: JobStatus, signal: AbortSignal) => Promise<void>;

export interface ReporterOptions {
  readonly report: ReportJob;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** For a program that is to end: what could not be told by then is told by the next. */
  readonly giveUpAfterMs?: number | undefined;
}

/** Codes after which another try cannot help: the job is unknown there, or the words are wrong. */
const hopeless: ReadonlySet<string> = new Set(['insights-not-found', 'insights-refused']);

/**
 * Tells until it was heard: true when Insights knows, or will never want to; false when it was given up for now.
 * A token that is not accepted is mended by people, so it is tried on.
 */
export async function reportUntilAccepted(
  { report, clock, random, log, giveUpAfterMs }: ReporterOptions,
  message: { readonly id: string; readonly status: JobStatus },
  signal: AbortSignal,
  /** Ends the repeating, but not a try that is under way. */
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
        log.error('Insights does not take the state of a job', { id, status, error });
        return true;
      }
      const named = retryOf(thrown);
      const ownMs = backoffMs(attempt, { baseMs: 1_000, maxMs: 60_000, random });
      const pauseMs = typeof named === 'object' ? Math.max(named.afterMs, ownMs) : ownMs;
      if (giveUpAfterMs !== undefined && clock.monotonicMs() + pauseMs - startMs > giveUpAfterMs) {
        log.error('A state of a job could not be reported; the next run will try again', { id, status, error });
        return false;
      }
      if (attempt === 0) log.warn('A state of a job could not be reported yet', { id, status, error });
      await clock.sleep(pauseMs, over);
    }
  }
}
