import { expect, test } from 'vitest';
import { createFakeClock } from './fake-clock.ts';

test('time moves only when the test advances it', async () => {
  const clock = createFakeClock(1_000);
  expect(clock.now()).toBe(1_000);
  await clock.advance(250);
  expect(clock.now()).toBe(1_250);
  expect(clock.monotonicMs()).toBe(250);
});

test('due timers run in order of time, then of making, each at its own moment', async () => {
  const clock = createFakeClock();
  const seen: string[] = [];
  const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
  clock.after(20, note('c'));
  clock.after(10, note('a'));
  clock.after(10, note('b'));
  clock.after(31, note('late'));
  await clock.advance(30);
  expect(seen).toEqual(['a@10', 'b@10', 'c@20']);
  expect(clock.pending).toBe(1);
});

test('a loop that sleeps again and again runs as often as time allows', async () => {
  const clock = createFakeClock();
  let rounds = 0;
  const stop = new AbortController();
  const loop = (async () => {
    for (;;) {
      await clock.sleep(10, stop.signal);
      rounds++;
    }
  })();
  await clock.advance(100);
  expect(rounds).toBe(10);
  stop.abort(new Error('enough'));
  await expect(loop).rejects.toThrow('enough');
  expect(clock.pending).toBe(0);
});

test('a cancelled timer never runs', async () => {
  const clock = createFakeClock();
  let ran = false;
  clock.after(5, () => {
    ran = true;
  })();
  await clock.advance(10);
  expect(ran).toBe(false);
});
