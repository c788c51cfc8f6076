import { type Clock, linkAbort } from '../base/index.ts';

/** Runs work with a signal that aborts with `failure()` at the deadline, or when the caller aborts. */
export async function withDeadline<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal | undefined },
  failure: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = linkAbort(signal);
  const cancel = clock.after(ms, () => controller.abort(failure()));
  try {
    return await work(controller.signal);
  } finally {
    cancel();
    controller.unlink();
  }
}
