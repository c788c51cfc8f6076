/**
 * Order among evaluations that take long. A namespace whose requests were heavy is evaluated in slices, one slice for
 * each turn of the event loop and at most half of the time, namespaces in turn: requests of others never wait for more
 * than one slice.
 */
export interface EvaluationTurns {
  /** Whether evaluations for this namespace must ask for a turn before they begin. */
  isHeavy(namespace: string): boolean;
  /** An evaluation for this namespace was heavy. */
  charge(namespace: string): void;
  /** Resolves when it is the caller's turn for one slice, or when the signal aborts. */
  next(namespace: string, signal: AbortSignal): Promise<void>;
}

export interface EvaluationTurnsOptions {
  readonly now: () => number;
  /** Runs after pending I/O was served. */
  readonly defer: (work: () => void) => void;
  readonly after: (ms: number, work: () => void) => void;
}

const system: EvaluationTurnsOptions = {
  now: () => performance.now(),
  defer: (work) => void setImmediate(work),
  after: (ms, work) => void setTimeout(work, ms),
};

/** A namespace counts as heavy for so long after its last heavy evaluation. */
const heavyMs = 60_000;

export function createEvaluationTurns({ now, defer, after }: EvaluationTurnsOptions = system): EvaluationTurns {
  const heavyUntil = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  let isRunning = false;

  const take = (): (() => void) | undefined => {
    for (const [namespace, queue] of waiting) {
      const next = queue.shift();
      // At the end again: namespaces come in turn, however many wait in one of them.
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
    // The slice runs as a microtask of this one, so it is over when the deferred work begins.
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
        const mine = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = () => {
          const at = queue.indexOf(mine);
          if (at >= 0) queue.splice(at, 1);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(mine);
        waiting.set(namespace, queue);
        if (isRunning) return;
        isRunning = true;
        defer(run);
      });
    },
  };
}
