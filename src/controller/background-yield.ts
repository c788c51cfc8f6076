import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';

/** A longer turn means that the event loop ran other work. */
const busyMs = 1;
/** The pause after such a turn, in turns: other work has priority. */
const turnsToWait = 8;
const maxPauseMs = 100;

/**
 * Returns a function for background transfers that share the event loop with admission and leases. Await it before each
 * piece of work: it yields to the event loop, and pauses when the loop is busy with other work.
 */
export function createBackgroundYield(clock: Clock): (signal?: AbortSignal) => Promise<void> {
  return async (signal) => {
    const startMs = clock.monotonicMs();
    await nextTurn();
    const turnMs = clock.monotonicMs() - startMs;
    if (turnMs > busyMs) await clock.sleep(Math.min(turnMs * turnsToWait, maxPauseMs), signal);
  };
}
