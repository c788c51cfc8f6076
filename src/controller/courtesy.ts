import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';

/** A turn that took longer than this had others in it. */
const busyMs = 1;
/** Such a turn is followed by a pause of so many: what others wait for comes first. */
const turnsToWait = 8;
const maxPauseMs = 100;

/**
 * For work that moves bytes as fast as it is let, beside admission and leases: a function to await before each piece. It
 * lets the event loop turn, and steps back for a while when the loop is busy with others.
 */
export function createCourtesy(clock: Clock): (signal?: AbortSignal) => Promise<void> {
  return async (signal) => {
    const startMs = clock.monotonicMs();
    await nextTurn();
    const turnMs = clock.monotonicMs() - startMs;
    if (turnMs > busyMs) await clock.sleep(Math.min(turnMs * turnsToWait, maxPauseMs), signal);
  };
}
