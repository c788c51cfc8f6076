import type { Clock } from '../base/index.ts';

/** A token bucket: a burst, then a number per second. */
export class RateLimit {
  private tokens: number;
  private filledAtMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly perSecond: number,
    private readonly burst: number,
  ) {
    this.tokens = burst;
    this.filledAtMs = clock.monotonicMs();
  }

  async take(signal: AbortSignal): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    this.tokens = Math.min(this.burst, this.tokens + ((nowMs - this.filledAtMs) / 1000) * this.perSecond);
    this.filledAtMs = nowMs;
    this.tokens--;
    if (this.tokens < 0) await this.clock.sleep((-this.tokens / this.perSecond) * 1000, signal);
  }
}
