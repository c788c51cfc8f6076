/**
 * An AbortController that also aborts with its parent. Call `unlink` when done: parents live long and would keep the
 * listener.
 */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  unlink(): void;
}

export function linkAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const unlink = onAbort(parent, (reason) => controller.abort(reason));
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), unlink };
}

/**
 * Calls `act` once when the signal aborts, or immediately when it has aborted already. Returns a function that removes
 * the listener.
 */
export function onAbort(signal: AbortSignal | undefined, act: (reason: unknown) => void): () => void {
  if (!signal) return () => {};
  const listener = () => act(signal.reason);
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/** Resolves when the signal aborts. The listener stays until then, so use it for signals that end with the caller. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void onAbort(signal, () => resolve()));
}

/** The result of a promise, unless the signal aborts first. The promise continues for other callers. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, reject);
    promise.then(resolve, reject).finally(unlink);
  });
}
