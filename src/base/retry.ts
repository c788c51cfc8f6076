import { type Clock, systemClock } from './clock.ts';
import { isAbort, type Retry, retryOf } from './errors.ts';

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** Random share of the pause, 0 to 1: replicas that failed together must not retry together. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** The pause before attempt `attempt + 1`, where the first attempt is 0. */
export function backoffMs(attempt: number, options: BackoffOptions): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.5, random = Math.random } = options;
  const full = Math.min(maxMs, baseMs * factor ** attempt);
  return Math.round(full * (1 - jitter * random()));
}

export interface RetryOptions extends BackoffOptions {
  readonly attempts: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** Decides per error; the error's own `retry` by default. */
  readonly when?: (thrown: unknown) => Retry;
}

/** Runs `work` until it succeeds, its error says never, or no attempts are left; throws the last error. */
export async function retry<T>(work: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock = systemClock, when = retryOf, signal } = options;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await work(attempt);
    } catch (thrown) {
      const decision = isAbort(thrown) ? 'never' : when(thrown);
      if (decision === 'never' || attempt + 1 >= options.attempts) throw thrown;
      await clock.sleep(decision === 'backoff' ? backoffMs(attempt, options) : decision.afterMs, signal);
    }
  }
}
