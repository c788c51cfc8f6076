import { type Clock, isAbort, linkAbort, orAborted } from '../base/index.ts';

/** True when `thrown` is a consequence of `signal`'s abort, not a failure of its own. */
export function isAbortOf(signal: AbortSignal, thrown: unknown): boolean {
  return signal.aborted && (thrown === signal.reason || isAbort(thrown));
}

interface WithinOptions {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal?: AbortSignal;
  /** The error to throw, and to abort the work with, when the time is up. */
  readonly late: () => Error;
}

/**
 * Runs `work` for at most `ms`. Settles on time even when the work ignores its signal. The work must check the signal
 * before it changes anything after a wait.
 */
export async function within<T>(options: WithinOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const bound = linkAbort(options.signal);
  const cancel = options.clock.after(options.ms, () => bound.abort(options.late()));
  try {
    bound.signal.throwIfAborted();
    return await orAborted(work(bound.signal), bound.signal);
  } finally {
    cancel();
    bound.unlink();
  }
}
