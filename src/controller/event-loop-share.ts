import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';

const sliceMs = 1;

/**
 * Keeps work that never waits for I/O from holding the event loop, which admission and leases share: a function to
 * await before each piece, which lets the loop turn when it has not for 1 ms, and costs next to nothing otherwise.
 */
export function createEventLoopShare(clock: Clock): () => Promise<void> {
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
