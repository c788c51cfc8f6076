import { expect, test } from 'vitest';
import { createLimiter, mapConcurrent } from './limiter.ts';

function gate() {
  let open = () => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

test('runs at most the limit at once, the others in their order', async () => {
  const limiter = createLimiter(2);
  const gates = [gate(), gate(), gate(), gate()];
  const started: number[] = [];
  const runs = gates.map(({ wait }, index) =>
    limiter.run(async () => {
      started.push(index);
      await wait;
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  expect([limiter.active, limiter.waiting]).toEqual([2, 2]);
  gates[1]!.open();
  await runs[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { open } of gates) open();
  await Promise.all(runs);
  expect(started).toEqual([0, 1, 2, 3]);
  expect([limiter.active, limiter.waiting]).toEqual([0, 0]);
});

test('work that fails releases its slot', async () => {
  const limiter = createLimiter(1);
  await expect(
    limiter.run(async () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await limiter.run(async () => 'next')).toBe('next');
  expect(limiter.active).toBe(0);
});

test('mapping keeps the order of the input and the limit', async () => {
  let active = 0;
  let most = 0;
  const result = await mapConcurrent([3, 1, 2, 0], 2, async (n) => {
    most = Math.max(most, ++active);
    for (let i = 0; i < n; i++) await Promise.resolve();
    active--;
    return n * 10;
  });
  expect(result).toEqual([30, 10, 20, 0]);
  expect(most).toBe(2);
});

test('starts nothing more after a failure', async () => {
  const started: number[] = [];
  await expect(
    mapConcurrent([0, 1, 2, 3], 1, async (n) => {
      started.push(n);
      if (n === 1) throw new Error('stop');
    }),
  ).rejects.toThrow('stop');
  expect(started).toEqual([0, 1]);
});
