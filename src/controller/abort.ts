import { type Clock, isAbort } from '../base/index.ts';

/**
 * An AbortController that also aborts with its parent. Call `unlink` when done: parents live long and would keep the
 * listener.
 */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  unlink(): void;
}

export function linkAbort(parent: AbortSignal): LinkedAbort {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}

/** Resolves when the signal aborts. The listener stays until then, so use it for signals that end with the caller. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** True when `thrown` is a consequence of `signal`'s abort, not a failure of its own. */
export function isAbortOf(signal: AbortSignal, thrown: unknown): boolean {
  return signal.aborted && (thrown === signal.reason || isAbort(thrown));
}

export interface WithinOptions {
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
  const bound = linkAbort(options.signal ?? new AbortController().signal);
  const cancel = options.clock.after(options.ms, () => bound.abort(options.late()));
  try {
    bound.signal.throwIfAborted();
    return await Promise.race([
      work(bound.signal),
      whenAborted(bound.signal).then(() => {
        throw bound.signal.reason;
      }),
    ]);
  } finally {
    cancel();
    bound.unlink();
  }
}
