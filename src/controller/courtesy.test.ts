import { expect, it } from 'vitest';
import type { Clock } from '../base/index.ts';
import { createCourtesy } from './courtesy.ts';

/** A loop whose turn takes so long; what is slept is noted. */
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

it('goes on at once while the event loop has nothing else to do', async () => {
  const { clock, slept } = loopOf(0.2);
  await createCourtesy(clock)();
  expect(slept).toEqual([]);
});

it('steps back for several turns when others keep the loop busy, and never for long', async () => {
  const busy = loopOf(5);
  await createCourtesy(busy.clock)();
  expect(busy.slept).toEqual([40]);
  const stuck = loopOf(2_000);
  await createCourtesy(stuck.clock)();
  expect(stuck.slept).toEqual([100]);
});
