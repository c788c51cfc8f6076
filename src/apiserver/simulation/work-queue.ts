import { backoffMs, type Clock, onAbort } from '../../base/index.ts';

interface WorkQueueOptions {
  readonly clock: Clock;
  readonly concurrency: number;
  /** Processes one key; returns the milliseconds after which to process it again, if any. */
  readonly work: (key: string) => Promise<number | undefined>;
  /** Called for every failure; the key is then retried with backoff. */
  readonly onError: (key: string, thrown: unknown) => void;
  readonly random?: () => number;
}

/**
 * A workqueue. A key is queued once however often it is added, and is never processed concurrently; a key that is added
 * while it is processed runs again afterwards.
 */
interface WorkQueue {
  /** Never starts the work before the caller has returned, so it may be called from a store callback. */
  add(key: string): void;
  /** The earliest of several times counts. */
  addAfter(key: string, ms: number): void;
  /** Resolves when the signal has aborted and the last work is done; no timers are left then. */
  run(signal: AbortSignal): Promise<void>;
}

// Yield to the event loop: work that only awaits promises would block it.
const startsPerTurn = 32;
// A Node timer holds 31 bits; longer waits are split.
const longestWaitMs = 24 * 60 * 60 * 1000;

export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { clock, concurrency, work, onError, random } = options;
  const waiting = new Set<string>();
  const active = new Set<string>();
  const again = new Set<string>();
  const failures = new Map<string, number>();
  const timers = new Map<string, { readonly dueMs: number; readonly cancel: () => void }>();
  let isRunning = false;
  let isPumpSet = false;
  let startsLeft = startsPerTurn;
  let finished: (() => void) | undefined;

  const wake = () => {
    if (!isRunning || isPumpSet || waiting.size === 0) return;
    isPumpSet = true;
    queueMicrotask(pump);
  };

  const pump = () => {
    isPumpSet = false;
    for (const key of waiting) {
      if (!isRunning || active.size >= concurrency || startsLeft === 0) return;
      if (startsLeft-- === startsPerTurn) setImmediate(nextTurn);
      waiting.delete(key);
      active.add(key);
      void perform(key);
    }
  };

  const nextTurn = () => {
    startsLeft = startsPerTurn;
    pump();
  };

  const perform = async (key: string) => {
    try {
      const comeBackMs = await work(key);
      failures.delete(key);
      if (comeBackMs !== undefined) queue.addAfter(key, comeBackMs);
    } catch (thrown) {
      if (isRunning) {
        onError(key, thrown);
        const attempt = failures.get(key) ?? 0;
        failures.set(key, attempt + 1);
        const pause = { baseMs: 100, maxMs: 60_000, ...(random ? { random } : {}) };
        queue.addAfter(key, backoffMs(attempt, pause));
      }
    }
    active.delete(key);
    if (again.delete(key)) waiting.add(key);
    if (isRunning) wake();
    else if (active.size === 0) finished?.();
  };

  const queue: WorkQueue = {
    add(key) {
      if (active.has(key)) again.add(key);
      else waiting.add(key);
      wake();
    },
    addAfter(key, ms) {
      if (ms <= 0) return queue.add(key);
      const dueMs = clock.monotonicMs() + ms;
      const known = timers.get(key);
      if (known && known.dueMs <= dueMs) return;
      known?.cancel();
      const cancel = clock.after(Math.min(ms, longestWaitMs), () => {
        timers.delete(key);
        queue.add(key);
      });
      timers.set(key, { dueMs, cancel });
    },
    run(signal) {
      return new Promise((resolve) => {
        const stop = () => {
          isRunning = false;
          for (const timer of timers.values()) timer.cancel();
          timers.clear();
          if (active.size === 0) resolve();
          else finished = resolve;
        };
        if (signal.aborted) return resolve();
        isRunning = true;
        onAbort(signal, stop);
        wake();
      });
    },
  };
  return queue;
}
