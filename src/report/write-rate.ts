import type { Clock } from '../base/index.ts';

/** Writes a second. */
export interface WriteRateLimits {
  /** However often the server refuses. */
  readonly least: number;
  /** However slowly it answers: the number of writes that wait for an answer is limited, too. */
  readonly leastWhenSlow: number;
  readonly first: number;
  readonly most: number;
}

/** How much slower than its best times the API server may answer before writes slow down. */
const slowFactor = 4;
const slackMs = 500;
/** Weights of the newest time: in the mean, and in the best time, which follows a server that is slower for good. */
const newest = 0.2;
const forgetting = 0.001;

/** What a second may add once the server has refused a write. */
const stepPerSecond = 20;
/** Answers to writes that were on their way already are no further signs. */
const settleMs = 1_000;

/**
 * How many writes a second the API server takes: doubles each second while it answers fast, is halved when it slows down or
 * refuses, and grows slowly once it has refused.
 */
export class WriteRate {
  perSecond: number;
  private tokens: number;
  private filledAtMs: number;
  private startsAtMs = Number.NEGATIVE_INFINITY;
  private cutAtMs = Number.NEGATIVE_INFINITY;
  private hasBeenRefused = false;
  private meanMs: number | undefined;
  private bestMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limits: WriteRateLimits,
  ) {
    this.perSecond = limits.first;
    this.tokens = limits.first;
    this.filledAtMs = clock.monotonicMs();
  }

  /** Waits until one more write may begin. */
  async take(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const filled = this.tokens + ((nowMs - this.filledAtMs) / 1000) * this.perSecond;
    this.tokens = Math.min(this.perSecond, filled) - 1;
    this.filledAtMs = nowMs;
    const turnMs = this.tokens < 0 ? (-this.tokens / this.perSecond) * 1000 : 0;
    const waitMs = Math.max(turnMs, this.startsAtMs - nowMs);
    if (waitMs > 0) await this.clock.sleep(waitMs, signal);
  }

  succeeded(tookMs: number): void {
    const { bestMs = tookMs, meanMs = tookMs } = this;
    this.bestMs = Math.min(tookMs, bestMs + (tookMs - bestMs) * forgetting);
    this.meanMs = meanMs + (tookMs - meanMs) * newest;
    if (this.meanMs > this.bestMs * slowFactor + slackMs) {
      this.cut(this.limits.leastWhenSlow);
      return;
    }
    const step = this.hasBeenRefused ? stepPerSecond / this.perSecond : 1;
    this.perSecond = Math.min(this.limits.most, this.perSecond + step);
  }

  /** The server has too much to do; it may have said for how long. */
  refused(afterMs = 0): void {
    this.hasBeenRefused = true;
    this.startsAtMs = Math.max(this.startsAtMs, this.clock.monotonicMs() + afterMs);
    this.cut(this.limits.least);
  }

  private cut(least: number): void {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.cutAtMs < settleMs) return;
    this.cutAtMs = nowMs;
    this.perSecond = Math.max(Math.min(least, this.perSecond), this.perSecond / 2);
    this.tokens = Math.min(this.tokens, 0);
  }
}
