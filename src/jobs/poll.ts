import { setMaxListeners } from 'node:events';
import { backoffMs, errorMessage } from '../base/index.ts';
import { JobRunner, type JobRunnerOptions, type JobSummary } from './runner.ts';

const maxBackoffMs = 5 * 60_000;

/** Polls Insights for jobs and runs them until the signal aborts. What runs then is taken up by the next process. */
export async function pollJobs(options: JobRunnerOptions, outer: AbortSignal): Promise<void> {
  const { clock, random, settings } = options;
  await withRunner(options, outer, async (runner, signal) => {
    await persistently(options, signal, 'Jobs of an earlier run could not be looked for', () => runner.recover(signal));
    while (!signal.aborted)
      await persistently(options, signal, 'Jobs could not be claimed', async () => {
        await runner.claim(signal);
        // Replicas of many clusters that started together must not ask together.
        await clock.sleep(settings.pollIntervalMs * (0.8 + 0.4 * random()), signal);
      });
  });
}

/** Takes up what was left, claims once, and ends when all of it has ended; only then does a failed claim count. */
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

/** A runner with its watch; when `work` is over, or the signal aborts, all that it started has stopped. */
async function withRunner<T>(
  options: JobRunnerOptions,
  outer: AbortSignal,
  work: (runner: JobRunner, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const runner = new JobRunner(options);
  const stop = new AbortController();
  // Every job that runs listens to it, several times over.
  setMaxListeners(0, stop.signal);
  const onAbort = () => stop.abort(outer.reason);
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  const following = runner.follow(stop.signal);
  try {
    return await work(runner, stop.signal);
  } catch (thrown) {
    if (!outer.aborted) throw thrown;
    return undefined;
  } finally {
    outer.removeEventListener('abort', onAbort);
    stop.abort();
    await runner.settled();
    await following;
  }
}

/** Runs `work` until it succeeds once; what fails is said and tried again, ever more slowly. */
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
