import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { Batcher } from './batch.ts';

function recording(maxItems = 100) {
  const clock = createFakeClock();
  const runs: string[][] = [];
  const batcher = new Batcher<string, string>({
    windowMs: 2_000,
    maxItems,
    clock,
    async run(items, signal) {
      signal.throwIfAborted();
      runs.push([...items]);
      if (items.includes('bad')) throw new Error('no');
      return items.map((item) => item.toUpperCase());
    },
  });
  return { clock, runs, batcher, stop: new AbortController() };
}

it('collects items within the window of the first, by key', async () => {
  const { clock, runs, batcher, stop } = recording();
  const [a, b] = [batcher.add('x', 'a', stop.signal), batcher.add('y', 'b', stop.signal)];
  await clock.advance(1_500);
  const c = batcher.add('x', 'c', stop.signal);
  await clock.advance(499);
  expect(runs).toEqual([]);
  await clock.advance(1);
  expect(await Promise.all([a, b, c])).toEqual(['A', 'B', 'C']);
  expect(runs).toEqual([['a', 'c'], ['b']]);
});

it('runs at most the maximum, and the rest in the next batch', async () => {
  const { clock, runs, batcher, stop } = recording(2);
  const all = ['a', 'b', 'c'].map((item) => batcher.add('x', item, stop.signal));
  await clock.advance(2_000);
  await clock.advance(2_000);
  expect(await Promise.all(all)).toEqual(['A', 'B', 'C']);
  expect(runs).toEqual([['a', 'b'], ['c']]);
});

it('fails all items of one batch together, and continues', async () => {
  const { clock, batcher, stop } = recording();
  const failed = Promise.allSettled([batcher.add('x', 'bad', stop.signal), batcher.add('x', 'a', stop.signal)]);
  await clock.advance(2_000);
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = batcher.add('x', 'b', stop.signal);
  await clock.advance(2_000);
  expect(await next).toBe('B');
});

it('leaves no item waiting after the end', async () => {
  const { runs, batcher, stop } = recording();
  const waiting = batcher.add('x', 'a', stop.signal);
  stop.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  expect(runs).toEqual([]);
});
