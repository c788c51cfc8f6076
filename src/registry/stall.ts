import type { Clock } from '../base/index.ts';
import { RegistryError, type RequestLine } from './errors.ts';

export interface StallLimits {
  /** A target that takes no byte for so long is gone. */
  readonly takeMs: number;
  /** After the last byte it may have a large blob to store. */
  readonly finishMs: number;
}

export interface StallMonitor {
  /** Aborts when the target stands still, or when the caller calls it off. */
  readonly signal: AbortSignal;
  /** Passes pieces on and measures how long the target takes for each; waiting for the source does not count. */
  through(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  failure(line: RequestLine): RegistryError | undefined;
  stop(): void;
}

export function monitorStall(clock: Clock, outer: AbortSignal | undefined, limits: StallLimits): StallMonitor {
  const controller = new AbortController();
  let waitingSince: number | undefined;
  let limitMs = limits.takeMs;
  let isStill = false;
  let cancelTimer = () => {};
  const onAbort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  const look = () => {
    const waited = waitingSince === undefined ? 0 : clock.monotonicMs() - waitingSince;
    if (waited < limitMs) {
      cancelTimer = clock.after(Math.max(10, limitMs - waited), look);
      return;
    }
    isStill = true;
    controller.abort(new DOMException('the registry stands still', 'AbortError'));
  };
  cancelTimer = clock.after(limits.takeMs, look);
  return {
    signal: controller.signal,
    async *through(pieces) {
      for await (const piece of pieces) {
        waitingSince = clock.monotonicMs();
        yield piece;
        waitingSince = undefined;
      }
      waitingSince = clock.monotonicMs();
      limitMs = limits.finishMs;
    },
    failure: (line) =>
      isStill
        ? new RegistryError(
            'registry-timeout',
            `${line.method} ${line.url}: the registry took nothing for ${limitMs} ms`,
            {
              ...line,
              retry: 'backoff',
            },
          )
        : undefined,
    stop() {
      cancelTimer();
      outer?.removeEventListener('abort', onAbort);
    },
  };
}
