import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { createBusyLoopBackoff, createTimeSlice } from './event-loop.ts';

/** An event loop whose turn takes `turnMs`; records the sleeps. */
function loopOf(turnMs: number) {
  const slept: number[] = [];
  let nowMs = 0;
  const clock: Pick<Clock, 'monotonicMs' | 'sleep'> = {
    monotonicMs: () => {
      nowMs += turnMs;
      return nowMs;
    },
    sleep: async (ms) => void slept.push(ms),
  };
  return { clock: clock as Clock, slept };
}

it('continues at once while the event loop is idle', async () => {
  const { clock, slept } = loopOf(0.2);
  await createBusyLoopBackoff(clock)();
  expect(slept).toEqual([]);
});

it('pauses for several turns when the event loop is busy, up to a bound', async () => {
  const busy = loopOf(5);
  await createBusyLoopBackoff(busy.clock)();
  expect(busy.slept).toEqual([40]);
  const stuck = loopOf(2_000);
  await createBusyLoopBackoff(stuck.clock)();
  expect(stuck.slept).toEqual([100]);
});

it('does not wait within a slice, and waits for the next turn once the slice is used up', async () => {
  let nowMs = 0;
  const turn = createTimeSlice({ monotonicMs: () => nowMs } as Clock, 5);
  let turns = 0;
  const counting = nextTurn().then(() => turns++);
  await turn();
  nowMs = 4;
  await turn();
  expect(turns).toBe(0);
  nowMs = 5;
  await turn();
  expect(turns).toBe(1);
  await counting;
});

it('starts a new slice when the loop has turned meanwhile', async () => {
  let nowMs = 0;
  const turn = createTimeSlice({ monotonicMs: () => nowMs } as Clock, 5);
  await turn();
  await nextTurn();
  await nextTurn();
  nowMs = 100;
  let isOver = false;
  const counting = nextTurn().then(() => (isOver = true));
  await turn();
  expect(isOver).toBe(false);
  await counting;
});
