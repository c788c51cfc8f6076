import type { Clock } from '../base/index.ts';
import { RegistryError, type RequestLine } from './errors.ts';

/** A source below this average rate over the window is given up, like curl's --speed-limit and --speed-time. */
export interface RateLimits {
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
}

/** Measures the rate of a source. Only the time that the reader waits for it counts. */
export class RateFloor {
  private bytes = 0;
  private waitedMs = 0;
  private waitingSince: number;

  constructor(
    private readonly clock: Clock,
    private readonly limits: RateLimits,
  ) {
    this.waitingSince = clock.monotonicMs();
  }

  /** Throws when the window is over and too few bytes arrived. */
  received(bytes: number, line: RequestLine): void {
    const { minBytesPerSecond, windowMs } = this.limits;
    this.waitedMs += this.clock.monotonicMs() - this.waitingSince;
    this.bytes += bytes;
    if (this.waitedMs < windowMs) return;
    const rate = (this.bytes * 1000) / this.waitedMs;
    if (rate < minBytesPerSecond)
      throw new RegistryError(
        'registry-too-slow',
        `${line.method} ${line.url}: ${Math.round(rate)} bytes per second, less than the required ${minBytesPerSecond}`,
        { ...line, retry: 'backoff' },
      );
    this.bytes = 0;
    this.waitedMs = 0;
  }

  /** The reader waits for the source again. */
  wait(): void {
    this.waitingSince = this.clock.monotonicMs();
  }
}
