import { expect, it } from 'vitest';
import type { Clock } from '../base/index.ts';
import { createBackgroundYield } from './background-yield.ts';

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
  await createBackgroundYield(clock)();
  expect(slept).toEqual([]);
});

it('pauses for several turns when the event loop is busy, up to a bound', async () => {
  const busy = loopOf(5);
  await createBackgroundYield(busy.clock)();
  expect(busy.slept).toEqual([40]);
  const stuck = loopOf(2_000);
  await createBackgroundYield(stuck.clock)();
  expect(stuck.slept).toEqual([100]);
});
