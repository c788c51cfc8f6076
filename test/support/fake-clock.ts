import type { Clock } from '../../src/base/index.ts';

/** A clock that moves only when the test advances it. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward and runs what falls due on the way, in order of its time and then of its making.
   * What a timer sets up within the span runs too.
   */
  advance(ms: number): Promise<void>;
  /** How many timers wait; for tests that must know that something sleeps before they advance. */
  readonly pending: number;
}

interface Timer {
  readonly dueMs: number;
  readonly fire: () => void;
}

export function createFakeClock(startMs = 0): FakeClock {
  let elapsedMs = 0;
  const timers = new Set<Timer>();

  const after = (ms: number, fire: () => void) => {
    const timer = { dueMs: elapsedMs + Math.max(0, ms), fire };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const nextDue = (untilMs: number): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueMs <= untilMs && (!first || timer.dueMs < first.dueMs)) first = timer;
    }
    return first;
  };

  return {
    now: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      await settle();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        timers.delete(timer);
        elapsedMs = timer.dueMs;
        timer.fire();
        await settle();
      }
      elapsedMs = untilMs;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** One turn of the event loop: every promise that can go on without I/O or time has gone on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
