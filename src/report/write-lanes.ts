import type { Clock } from '../base/index.ts';
import { createWorkqueue, type WorkqueueMetrics } from '../controller/index.ts';

interface WriteLanesOptions {
  readonly clock: Clock;
  readonly metrics: WorkqueueMetrics;
  /** Whether nobody waits for this key: asked when its turn comes, so that a change makes it urgent at any time. */
  readonly canWait: (key: string) => boolean;
}

interface LaneLimits {
  readonly concurrency: number;
  /** Of keys that can wait; in addition to the others, so that neither lane stops the other. */
  readonly waitingConcurrency: number;
}

type Work = (key: string, signal: AbortSignal) => Promise<void>;

const backoff = { baseMs: 50, maxMs: 30_000 };

/**
 * A workqueue with a second lane. Every key is added to the first lane, which passes on those that can wait. A key that no
 * longer can is worked on in the first lane when it is added again, before all that waits in the second. As in a workqueue, a
 * key is never worked on twice at the same time, and its last add is followed by a full run.
 */
export class WriteLanes {
  private readonly first;
  private readonly second;
  private readonly activeInFirst = new Set<string>();
  private readonly activeInSecond = new Set<string>();
  /** Added during their run in the second lane. */
  private readonly again = new Set<string>();

  constructor(private readonly options: WriteLanesOptions) {
    const { clock, metrics } = options;
    let [urgent, waiting] = [0, 0];
    const show = () => metrics.depthChanged(urgent + waiting);
    this.first = createWorkqueue({
      clock,
      backoff,
      metrics: {
        ...metrics,
        depthChanged(depth) {
          urgent = depth;
          show();
        },
      },
    });
    this.second = createWorkqueue({
      clock,
      metrics: {
        ...metrics,
        depthChanged(depth) {
          waiting = depth;
          show();
        },
      },
    });
  }

  add(key: string): void {
    this.first.add(key);
  }

  addAfter(key: string, ms: number): void {
    this.first.addAfter(key, ms);
  }

  addRateLimited(key: string): void {
    this.first.addRateLimited(key);
  }

  forget(key: string): void {
    this.first.forget(key);
  }

  /** Ends when both lanes have stopped. */
  async run(work: Work, signal: AbortSignal, { concurrency, waitingConcurrency }: LaneLimits): Promise<void> {
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const guarded = (lane: Promise<void>) =>
      lane.catch((thrown: unknown) => {
        failed.abort(thrown);
        throw thrown;
      });
    const ends = await Promise.allSettled([
      guarded(this.first.run((key, stop) => this.workInFirst(key, work, stop), until, { concurrency })),
      guarded(
        this.second.run((key, stop) => this.workInSecond(key, work, stop), until, { concurrency: waitingConcurrency }),
      ),
    ]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async workInFirst(key: string, work: Work, signal: AbortSignal): Promise<void> {
    if (this.activeInSecond.has(key)) {
      this.again.add(key);
      return;
    }
    if (this.options.canWait(key)) {
      this.second.add(key);
      return;
    }
    this.activeInFirst.add(key);
    try {
      await work(key, signal);
    } finally {
      this.activeInFirst.delete(key);
    }
  }

  private async workInSecond(key: string, work: Work, signal: AbortSignal): Promise<void> {
    // That run began later than this key was passed on: it sees all that this one would.
    if (this.activeInFirst.has(key)) return;
    this.activeInSecond.add(key);
    try {
      await work(key, signal);
    } finally {
      this.activeInSecond.delete(key);
      if (this.again.delete(key)) this.first.add(key);
    }
  }
}
