import type { Clock } from '../../base/index.ts';

/** A clock that the test advances. */
export class ManualClock implements Clock {
  private timers: { readonly atMs: number; readonly fn: () => void }[] = [];
  /** The duration of every `sleep`. */
  readonly sleeps: number[] = [];

  constructor(private nowMs = Date.parse('2030-01-01T00:00:00Z')) {}

  now(): number {
    return this.nowMs;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  after(ms: number, fn: () => void): () => void {
    const timer = { atMs: this.nowMs + ms, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = this.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  get pending(): number {
    return this.timers.length;
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const due = this.timers.filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== due);
      this.nowMs = due.atMs;
      due.fn();
    }
    this.nowMs = untilMs;
  }
}
