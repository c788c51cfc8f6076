import { type BackoffOptions, backoffMs, type Clock, createTimeSlice, systemClock } from '../base/index.ts';
import { ControllerError } from './errors.ts';
import { Fifo } from './fifo.ts';

/** Callbacks for metrics. Called synchronously; must not throw. */
export interface WorkqueueMetrics {
  /** A key was added that was not waiting already. */
  added(): void;
  /** The number of keys ready to run. Delayed keys are not counted. */
  depthChanged(depth: number): void;
  /** A key left the queue after this wait. */
  started(waitedMs: number): void;
  finished(tookMs: number): void;
  /** A key was requeued with back-off because it failed. */
  retried(): void;
}

interface WorkqueueOptions {
  /** The back-off of `addRateLimited`: 5 ms doubling to 1000 s by default, half of each pause random. */
  readonly backoff?: Partial<BackoffOptions>;
  readonly clock?: Clock;
  readonly metrics: WorkqueueMetrics;
}

export interface WorkOptions {
  /** The number of keys processed at once; 1 by default. */
  readonly concurrency?: number;
  /**
   * What a stop does with waiting keys: `drop` (default) forgets them and aborts the signal of active ones; `drain`
   * processes the ready keys, for at most `drainMs`.
   */
  readonly onStop?: 'drop' | 'drain';
  readonly drainMs?: number;
}

/** Processes one key. It must handle its own failures: a rejection ends the whole queue. */
type Work = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * Keys waiting for work, each at most once. A key is never processed twice at the same time. A key that is added during
 * its run runs again afterwards, so the last add is always followed by a full run.
 */
export interface Workqueue {
  add(key: string): void;
  /** Adds after a time. Of several pending times for one key the earliest applies; `add` does not cancel it. */
  addAfter(key: string, ms: number): void;
  /** Adds after the key's next back-off pause, and returns that pause. */
  addRateLimited(key: string): number;
  /** Resets the key's back-off. */
  forget(key: string): void;
  /** How many times in a row the key was added with back-off. */
  retries(key: string): number;
  readonly depth: number;
  /** Processes keys until the signal aborts; resolves when no key is active. Once per queue. */
  run(work: Work, signal: AbortSignal, options?: WorkOptions): Promise<void>;
}

export function createWorkqueue(options: WorkqueueOptions): Workqueue {
  return new Queue(options);
}

// setTimeout fires at once for a longer delay.
const longestTimerMs = 2 ** 31 - 1;

class Queue implements Workqueue {
  private readonly clock: Clock;
  private readonly metrics: WorkqueueMetrics;
  private readonly backoff: BackoffOptions;
  /** Keys that need a run, with the time of their add. Those also in `active` join `ready` when their run ends. */
  private readonly wanted = new Map<string, number>();
  private readonly ready = new Fifo<string>();
  private readonly active = new Set<string>();
  private readonly delayed = new Map<string, { readonly dueMs: number; readonly cancel: () => void }>();
  private readonly failures = new Map<string, number>();
  private phase: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  private readonly turn: () => Promise<void>;
  /** Starts ready keys up to the concurrency; does nothing before `run`. */
  private pump: () => void = () => {};

  constructor(options: WorkqueueOptions) {
    this.clock = options.clock ?? systemClock;
    this.turn = createTimeSlice(this.clock);
    this.metrics = options.metrics;
    this.backoff = { baseMs: 5, maxMs: 1_000_000, ...options.backoff };
  }

  get depth(): number {
    return this.ready.length;
  }

  add(key: string): void {
    if (this.isClosed || this.wanted.has(key)) return;
    this.wanted.set(key, this.clock.monotonicMs());
    this.metrics.added();
    if (!this.active.has(key)) this.enqueue(key);
  }

  addAfter(key: string, ms: number): void {
    if (this.isClosed) return;
    if (!(ms > 0)) {
      this.add(key);
      return;
    }
    const dueMs = this.clock.monotonicMs() + ms;
    const pending = this.delayed.get(key);
    if (pending && pending.dueMs <= dueMs) return;
    pending?.cancel();
    const cancel = this.clock.after(Math.min(ms, longestTimerMs), () => {
      this.delayed.delete(key);
      this.addAfter(key, ms - longestTimerMs);
    });
    this.delayed.set(key, { dueMs, cancel });
  }

  addRateLimited(key: string): number {
    const failures = this.retries(key);
    const pauseMs = backoffMs(failures, this.backoff);
    if (this.isClosed) return pauseMs;
    this.failures.set(key, failures + 1);
    this.metrics.retried();
    this.addAfter(key, pauseMs);
    return pauseMs;
  }

  forget(key: string): void {
    this.failures.delete(key);
  }

  retries(key: string): number {
    return this.failures.get(key) ?? 0;
  }

  async run(work: Work, signal: AbortSignal, options: WorkOptions = {}): Promise<void> {
    if (this.phase !== 'new') throw new ControllerError('controller-queue-used', 'a workqueue runs only once');
    this.phase = 'running';
    const { concurrency = 1, onStop = 'drop', drainMs = 10_000 } = options;
    const stopWork = new AbortController();
    let failure: { readonly thrown: unknown } | undefined;
    let cancelDeadline = () => {};
    const drop = (reason: unknown) => {
      this.drop();
      stopWork.abort(reason);
      this.pump();
    };
    const stop = () => {
      if (onStop === 'drop') return drop(signal.reason);
      this.drain();
      cancelDeadline = this.clock.after(drainMs, () => drop(signal.reason));
      this.pump();
    };
    await new Promise<void>((resolve) => {
      this.pump = () => {
        while (this.active.size < concurrency) {
          const key = this.ready.shift();
          if (key === undefined) break;
          this.workOn(key, work, stopWork.signal).then(this.pump, (thrown: unknown) => {
            failure ??= { thrown };
            drop(thrown);
          });
        }
        if (this.isClosed && this.active.size === 0) resolve();
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      else this.pump();
    });
    cancelDeadline();
    signal.removeEventListener('abort', stop);
    if (failure) throw failure.thrown;
  }

  private async workOn(key: string, work: Work, signal: AbortSignal): Promise<void> {
    this.active.add(key);
    this.metrics.depthChanged(this.depth);
    try {
      // Leaves the call stack of `add`. Until then the key still counts as waiting.
      await this.turn();
      if (!signal.aborted) await this.begin(key, () => work(key, signal));
    } finally {
      this.active.delete(key);
      if (this.wanted.has(key)) this.enqueue(key);
    }
  }

  private async begin(key: string, work: () => Promise<void>): Promise<void> {
    const startMs = this.clock.monotonicMs();
    this.metrics.started(startMs - (this.wanted.get(key) ?? startMs));
    this.wanted.delete(key);
    try {
      await work();
    } finally {
      this.metrics.finished(this.clock.monotonicMs() - startMs);
    }
  }

  private get isClosed(): boolean {
    return this.phase === 'draining' || this.phase === 'stopped';
  }

  private enqueue(key: string): void {
    this.ready.push(key);
    this.metrics.depthChanged(this.depth);
    this.pump();
  }

  private drain(): void {
    this.phase = 'draining';
    for (const { cancel } of this.delayed.values()) cancel();
    this.delayed.clear();
  }

  private drop(): void {
    this.drain();
    this.phase = 'stopped';
    this.wanted.clear();
    this.ready.clear();
    this.metrics.depthChanged(0);
  }
}
