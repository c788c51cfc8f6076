import { type Clock, onAbort } from '../base/index.ts';

/** How long synchronous work may occupy one turn of the event loop. */
export interface ScanPace {
  readonly sliceMs: number;
  /** Objects read per page; processing a page is not interrupted. */
  readonly pageSize: number;
}

/** For a thread shared with admission and leases: a page of this size blocks the loop for a millisecond or two. */
export const sharedScanPace: ScanPace = { sliceMs: 1, pageSize: 20 };
/** For a thread that does nothing else but react to its stop signal. */
export const dedicatedScanPace: ScanPace = { sliceMs: 20, pageSize: 200 };

/** Calls `work` periodically, the first time after `firstMs`; returns the function that stops it. */
export function every(ms: number, clock: Clock, work: () => void, firstMs = ms): () => void {
  let cancel = () => {};
  const again = (afterMs: number) => {
    cancel = clock.after(afterMs, () => {
      work();
      again(ms);
    });
  };
  again(Math.max(0, firstMs));
  return () => cancel();
}

/** Resolves when the registered function is called, or the signal aborts. */
export function waitFor(signal: AbortSignal, register: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const unlink = onAbort(signal, () => resolve());
    register(() => {
      unlink();
      resolve();
    });
  });
}

/** A signal that aborts this much later than the given one. */
export function abortLater(
  signal: AbortSignal,
  ms: number,
  clock: Clock,
): { readonly signal: AbortSignal; readonly release: () => void } {
  const ending = new AbortController();
  let cancel = () => {};
  const unlink = onAbort(signal, () => {
    cancel = clock.after(ms, () => ending.abort(signal.reason));
  });
  const release = () => {
    unlink();
    cancel();
  };
  return { signal: ending.signal, release };
}
