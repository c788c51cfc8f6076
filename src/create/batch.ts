import type { Clock } from '../base/index.ts';

export interface BatcherOptions<T, R> {
  readonly windowMs: number;
  /** A batch that is full goes at once. */
  readonly maxItems: number;
  readonly clock: Clock;
  /** Answers for each item, in their order. A rejection is everyone's. */
  readonly run: (items: readonly T[], signal: AbortSignal) => Promise<readonly R[]>;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Gathers what comes within a window and runs it together, per key one batch after another. The window begins with the
 * first item; what comes while a batch runs waits for the next.
 */
export class Batcher<T, R> {
  private readonly queues = new Map<string, Waiting<T, R>[]>();
  private readonly running = new Set<string>();

  constructor(private readonly options: BatcherOptions<T, R>) {}

  /** All of a key are given the same signal: that of whoever runs them. */
  add(key: string, item: T, signal: AbortSignal): Promise<R> {
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(key) ?? [];
      queue.push({ item, resolve, reject });
      this.queues.set(key, queue);
      if (!this.running.has(key)) void this.work(key, signal);
    });
  }

  private async work(key: string, signal: AbortSignal): Promise<void> {
    const { windowMs, maxItems, clock, run } = this.options;
    this.running.add(key);
    while ((this.queues.get(key)?.length ?? 0) > 0) {
      // An end of everything ends the wait; the run below then fails by the same signal.
      await clock.sleep(windowMs, signal).catch(() => {});
      const batch = this.queues.get(key)!.splice(0, maxItems);
      try {
        signal.throwIfAborted();
        const results = await run(
          batch.map(({ item }) => item),
          signal,
        );
        for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    this.queues.delete(key);
    this.running.delete(key);
  }
}
