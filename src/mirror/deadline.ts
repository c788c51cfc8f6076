import type { Clock } from '../base/index.ts';

/** Runs work under a signal that aborts with the given one, or after a timeout. */
export async function withDeadline<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const onAbort = () => ending.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const cancel = clock.after(ms, () => ending.abort(new DOMException('the time is over', 'TimeoutError')));
  try {
    return await work(ending.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The result of a promise, unless the signal aborts first. The promise continues for other callers. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
