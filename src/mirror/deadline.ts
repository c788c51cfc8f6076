import { type Clock, linkAbort } from '../base/index.ts';

/** Runs work under a signal that aborts with the given one, or after a timeout. */
export async function withDeadline<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = linkAbort(signal);
  const cancel = clock.after(ms, () => ending.abort(new DOMException('the time is over', 'TimeoutError')));
  try {
    return await work(ending.signal);
  } finally {
    cancel();
    ending.unlink();
  }
}
