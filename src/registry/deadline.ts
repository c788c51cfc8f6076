import type { Clock } from '../base/index.ts';

/** Runs work with a signal that aborts with `failure()` at the deadline, or when the caller aborts. */
export async function withDeadline<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal | undefined },
  failure: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const cancel = clock.after(ms, () => controller.abort(failure()));
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
