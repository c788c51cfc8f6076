import { setMaxListeners } from 'node:events';
import { backoffMs, errorMessage, linkAbort } from '../base/index.ts';
import { JobRunner, type JobRunnerOptions, type JobSummary } from './runner.ts';

const maxBackoffMs = 5 * 60_000;

/** Polls Insights for jobs and runs them until the signal aborts. The next process resumes what still runs then. */
export async function pollJobs(options: JobRunnerOptions, outer: AbortSignal): Promise<void> {
  const { clock, random, settings } = options;
  await withRunner(options, outer, async (runner, signal) => {
    await persistently(options, signal, 'Jobs of an earlier run could not be listed', () => runner.recover(signal));
    while (!signal.aborted)
      await persistently(options, signal, 'Jobs could not be claimed', async () => {
        await runner.claim(signal);
        // Jitter: clusters that start together must not poll together.
        await clock.sleep(settings.pollIntervalMs * (0.8 + 0.4 * random()), signal);
      });
  });
}

/** Resumes open jobs, claims once, and returns when all have ended; a failed claim is thrown only then. */
export async function runJobsOnce(options: JobRunnerOptions, outer: AbortSignal): Promise<JobSummary> {
  const summary = await withRunner(options, outer, async (runner, signal) => {
    await runner.recover(signal);
    const claiming = await runner.claim(signal).then(
      () => undefined,
      (thrown: unknown) => ({ thrown }),
    );
    await runner.settled();
    if (claiming !== undefined) throw claiming.thrown;
    return runner.summary;
  });
  outer.throwIfAborted();
  return summary ?? { completed: 0, failed: 0, unreported: 0 };
}

/** A runner with its watch. When `work` returns or the signal aborts, everything it started has stopped. */
async function withRunner<T>(
  options: JobRunnerOptions,
  outer: AbortSignal,
  work: (runner: JobRunner, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const runner = new JobRunner(options);
  const stop = linkAbort(outer);
  // Every running job adds several listeners.
  setMaxListeners(0, stop.signal);
  const following = runner.follow(stop.signal);
  try {
    return await work(runner, stop.signal);
  } catch (thrown) {
    if (!outer.aborted) throw thrown;
    return undefined;
  } finally {
    stop.unlink();
    stop.abort();
    await runner.settled();
    await following;
  }
}

/** Runs `work` until it succeeds once; failures are logged and retried with backoff. */
async function persistently(
  { clock, random, log, settings }: JobRunnerOptions,
  signal: AbortSignal,
  failure: string,
  work: () => Promise<void>,
): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (signal.aborted) return;
      log.error(failure, { error: errorMessage(thrown) });
      const pauseMs = backoffMs(attempt, { baseMs: settings.pollIntervalMs, maxMs: maxBackoffMs, jitter: 0.3, random });
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }
}
