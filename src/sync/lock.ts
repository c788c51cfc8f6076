import { type Clock, isAbort, SupercargoError } from '../base/index.ts';

/** Somebody else syncs now; the message says who, since when and where that is written. */
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
      `another sync is running: held by ${holder}, last heard of ${seconds}s ago (${where}; taken over after ${Math.round(timeoutMs / 1000)}s without a sign)`,
      { retry: 'backoff' },
    );
  }
}

/** A lock that one sync holds at a time. */
export interface SyncLock {
  /** Takes it at once, or throws SyncLockedError. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives a sign of life; false when somebody else has it now. */
  renew(signal: AbortSignal): Promise<boolean>;
  release(signal: AbortSignal): Promise<void>;
}

export interface WithLockOptions {
  readonly lock: SyncLock;
  readonly clock: Clock;
  /** How often signs of life are given. */
  readonly renewMs: number;
  readonly signal: AbortSignal;
}

const releaseMs = 5_000;

/**
 * Runs `work` while holding the lock. Its signal aborts when the lock is lost. A lock is no fence: what the work writes
 * is preconditioned all the same.
 */
export async function withLock<T>(options: WithLockOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { lock, clock, signal } = options;
  await lock.acquire(signal);
  const lost = new AbortController();
  const ended = new AbortController();
  const onAbort = () => lost.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const renewing = keepAlive(options, lost, ended.signal);
  try {
    return await work(lost.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    ended.abort();
    await renewing;
    const limit = new AbortController();
    const cancel = clock.after(releaseMs, () => limit.abort(new Error('no answer in time')));
    // One that cannot be released is taken over when its time is up.
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
      // Between two signs there is room for several that fail; only the time limit decides.
      if (isAbort(thrown) || ended.aborted) return;
    }
  }
}
