import type { Clock } from '../base/index.ts';

interface BatcherOptions<T, R> {
  readonly windowMs: number;
  /** A full batch runs at once. */
  readonly maxItems: number;
  readonly clock: Clock;
  /** Returns one result per item, in order. A rejection applies to all items. */
  readonly run: (items: readonly T[], signal: AbortSignal) => Promise<readonly R[]>;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Collects items within a window and runs them together; batches of one key run one after another. The window starts
 * with the first item. Items that arrive while a batch runs wait for the next batch.
 */
export class Batcher<T, R> {
  private readonly queues = new Map<string, Waiting<T, R>[]>();
  private readonly running = new Set<string>();

  constructor(private readonly options: BatcherOptions<T, R>) {}

  /** All items of a key use the signal of the caller that runs the batch. */
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
      // An abort ends the wait; the run below then fails by the same signal.
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
