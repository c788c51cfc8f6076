import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';

const sliceMs = 1;

/**
 * Returns a function for work that never waits for I/O, so that it does not block the event loop for admission and
 * leases. Await it before each piece of work: it yields when the loop has not turned for 1 ms, and is cheap otherwise.
 */
export function createEventLoopYield(clock: Clock): () => Promise<void> {
  let slice: { readonly startMs: number; readonly turned: Promise<void> } | undefined;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (slice === undefined) {
      const turned = nextTurn().then(() => {
        slice = undefined;
      });
      slice = { startMs: nowMs, turned };
    } else if (nowMs - slice.startMs >= sliceMs) await slice.turned;
  };
}
