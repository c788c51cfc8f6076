import { type Clock, linkAbort } from '../base/index.ts';
import { RegistryError, type RequestLine } from './errors.ts';

export interface StallLimits {
  /** A target that accepts no byte for this long has stalled. */
  readonly takeMs: number;
  /** Longer limit after the last byte: the target may have to store a large blob. */
  readonly finishMs: number;
}

interface StallMonitor {
  /** Aborts when the target stalls, or when the caller aborts. */
  readonly signal: AbortSignal;
  /** Passes pieces on and measures how long the target takes for each. Waiting for the source does not count. */
  through(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  failure(line: RequestLine): RegistryError | undefined;
  stop(): void;
}

export function monitorStall(clock: Clock, outer: AbortSignal | undefined, limits: StallLimits): StallMonitor {
  const controller = linkAbort(outer);
  let waitingSince: number | undefined;
  let limitMs = limits.takeMs;
  let isStalled = false;
  let cancelTimer = () => {};
  const check = () => {
    const waited = waitingSince === undefined ? 0 : clock.monotonicMs() - waitingSince;
    if (waited < limitMs) {
      cancelTimer = clock.after(Math.max(10, limitMs - waited), check);
      return;
    }
    isStalled = true;
    controller.abort(new DOMException('the registry stalled', 'AbortError'));
  };
  cancelTimer = clock.after(limits.takeMs, check);
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
      isStalled
        ? new RegistryError(
            'registry-timeout',
            `${line.method} ${line.url}: the registry accepted no bytes for ${limitMs} ms`,
            {
              ...line,
              retry: 'backoff',
            },
          )
        : undefined,
    stop() {
      cancelTimer();
      controller.unlink();
    },
  };
}
