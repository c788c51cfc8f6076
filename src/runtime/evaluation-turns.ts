/**
 * Fair scheduling of long evaluations. Requests of a namespace that had heavy evaluations are evaluated in slices, one
 * slice per turn of the event loop and at most half of the time, round-robin over namespaces. Requests of other
 * namespaces never wait for more than one slice.
 */
export interface EvaluationTurns {
  /** Whether evaluations for this namespace must wait for a turn before they start. */
  isHeavy(namespace: string): boolean;
  /** Marks the namespace as heavy. */
  charge(namespace: string): void;
  /** Resolves when it is the caller's turn for one slice, or when the signal aborts. */
  next(namespace: string, signal: AbortSignal): Promise<void>;
}

interface EvaluationTurnsOptions {
  readonly now: () => number;
  /** Runs the work after pending I/O is served. */
  readonly defer: (work: () => void) => void;
  readonly after: (ms: number, work: () => void) => void;
}

const system: EvaluationTurnsOptions = {
  now: () => performance.now(),
  defer: (work) => void setImmediate(work),
  after: (ms, work) => void setTimeout(work, ms),
};

/** How long a namespace stays heavy after its last heavy evaluation. */
const heavyMs = 60_000;

export function createEvaluationTurns({ now, defer, after }: EvaluationTurnsOptions = system): EvaluationTurns {
  const heavyUntil = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  let isRunning = false;

  const take = (): (() => void) | undefined => {
    for (const [namespace, queue] of waiting) {
      const next = queue.shift();
      // Re-insert at the end: round-robin over namespaces, however many evaluations wait in one of them.
      waiting.delete(namespace);
      if (queue.length > 0) waiting.set(namespace, queue);
      if (next) return next;
    }
    return undefined;
  };
  const run = (): void => {
    const next = take();
    if (!next) {
      isRunning = false;
      return;
    }
    const startedMs = now();
    // The slice runs as a microtask of this task, so it has ended when the deferred work starts.
    next();
    defer(() => after(now() - startedMs, run));
  };

  return {
    isHeavy(namespace) {
      if (heavyUntil.size === 0) return false;
      const until = heavyUntil.get(namespace);
      if (until === undefined) return false;
      if (now() < until) return true;
      heavyUntil.delete(namespace);
      return false;
    },
    charge: (namespace) => void heavyUntil.set(namespace, now() + heavyMs),
    next(namespace, signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const queue = waiting.get(namespace) ?? [];
        const grant = () => {
          signal.removeEventListener('abort', cancel);
          resolve();
        };
        const cancel = () => {
          const at = queue.indexOf(grant);
          if (at >= 0) queue.splice(at, 1);
          resolve();
        };
        signal.addEventListener('abort', cancel, { once: true });
        queue.push(grant);
        waiting.set(namespace, queue);
        if (isRunning) return;
        isRunning = true;
        defer(run);
      });
    },
  };
}
