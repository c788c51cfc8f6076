import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { SyncLockedError } from './lock.ts';

interface RepeatOptions {
  /** One run under its lock. */
  readonly sync: (signal: AbortSignal) => Promise<unknown>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Syncs at once and then every interval, with 10% jitter, until the signal aborts; a failure does not end it. */
export async function repeatSync(
  { sync, intervalMs, clock, random, log }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sync(signal);
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof SyncLockedError) log.info('Policy sync skipped', { reason: thrown.message });
      else log.error('Policy sync could not run', { error: errorMessage(thrown) });
    }
    await clock.sleep(intervalMs * (0.9 + 0.2 * random()), signal).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  }
}
