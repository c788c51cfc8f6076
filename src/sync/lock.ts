import { type Clock, isAbort, linkAbort, SupercargoError } from '../base/index.ts';

/** Another sync holds the lock; the message names the holder, its age and where the lock is. */
export class SyncLockedError extends SupercargoError {
  constructor(
    readonly holder: string,
    readonly ageMs: number,
    readonly where: string,
    timeoutMs: number,
  ) {
    const seconds = Math.max(0, Math.round(ageMs / 1000));
    super(
      'sync-locked',
      `another sync is running: held by ${holder}, last renewed ${seconds}s ago (${where}; taken over after ${Math.round(timeoutMs / 1000)}s without renewal)`,
      { retry: 'backoff' },
    );
  }
}

/** A lock that one sync holds at a time. */
export interface SyncLock {
  /** Acquires it at once, or throws SyncLockedError. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Renews it; false if it has another holder now. */
  renew(signal: AbortSignal): Promise<boolean>;
  release(signal: AbortSignal): Promise<void>;
}

interface WithLockOptions {
  readonly lock: SyncLock;
  readonly clock: Clock;
  /** How often the lock is renewed. */
  readonly renewMs: number;
  readonly signal: AbortSignal;
}

const releaseMs = 5_000;

/**
 * Runs `work` while holding the lock. Its signal aborts when the lock is lost. The lock is not a fence, so all writes
 * have preconditions as well.
 */
export async function withLock<T>(options: WithLockOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { lock, clock, signal } = options;
  await lock.acquire(signal);
  const lost = linkAbort(signal);
  const ended = new AbortController();
  const renewing = keepAlive(options, lost, ended.signal);
  try {
    return await work(lost.signal);
  } finally {
    lost.unlink();
    ended.abort();
    await renewing;
    const limit = new AbortController();
    const cancel = clock.after(releaseMs, () => limit.abort(new Error('no response in time')));
    // A lock that cannot be released is taken over when it expires.
    await lock.release(limit.signal).catch(() => undefined);
    cancel();
  }
}

async function keepAlive(
  { lock, clock, renewMs }: WithLockOptions,
  lost: AbortController,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted && !lost.signal.aborted) {
    try {
      await clock.sleep(renewMs, ended);
      if (await lock.renew(ended)) continue;
      lost.abort(new SupercargoError('sync-lock-lost', 'another sync has taken over the lock'));
    } catch (thrown) {
      // Several renewals may fail before the lock expires; only the time limit counts.
      if (isAbort(thrown) || ended.aborted) return;
    }
  }
}
