import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/**
 * Returns a function for work that never waits for I/O, so that it does not block the event loop. Await it before each
 * piece of work. All callers of one function share a time slice per turn of the loop: a call is cheap while the slice
 * lasts, and waits for the next turn once it is used up.
 */
export function createTimeSlice(clock: Clock, sliceMs = 1): () => Promise<void> {
  let slice: { readonly startMs: number; readonly turned: Promise<void> } | undefined;
  return async () => {
    for (;;) {
      const nowMs = clock.monotonicMs();
      if (slice === undefined) {
        const turned = nextTurn().then(() => {
          slice = undefined;
        });
        slice = { startMs: nowMs, turned };
        return;
      }
      if (nowMs - slice.startMs < sliceMs) return;
      await slice.turned;
    }
  };
}

/** A longer turn means that the event loop ran other work. */
const busyMs = 1;
/** The pause after such a turn, in turns: other work has priority. */
const turnsToWait = 8;
const maxPauseMs = 100;

/**
 * Returns a function for background transfers that share the event loop with other work. Await it before each piece of
 * work: it yields to the event loop, and pauses when the loop is busy with other work.
 */
export function createBusyLoopBackoff(clock: Clock): (signal?: AbortSignal) => Promise<void> {
  return async (signal) => {
    const startMs = clock.monotonicMs();
    await nextTurn();
    const turnMs = clock.monotonicMs() - startMs;
    if (turnMs > busyMs) await clock.sleep(Math.min(turnMs * turnsToWait, maxPauseMs), signal);
  };
}
