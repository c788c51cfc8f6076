import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createWorkQueue } from './work-queue.ts';

function setUp(work: (key: string) => Promise<number | undefined>, concurrency = 2) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const errors: unknown[] = [];
  const queue = createWorkQueue({
    clock,
    concurrency,
    work,
    onError: (_, thrown) => errors.push(thrown),
    random: () => 0,
  });
  return { clock, queue, stop, errors, ended: queue.run(stop.signal) };
}

test('a key that is added many times is worked on once, and never while the caller still runs', async () => {
  const done: string[] = [];
  const { clock, queue, stop, ended } = setUp(async (key) => void done.push(key));
  for (let i = 0; i < 5; i++) queue.add('a');
  expect(done).toEqual([]);
  await clock.advance(0);
  expect(done).toEqual(['a']);
  stop.abort();
  await ended;
});

test('a key that is added while it is being worked on runs again afterwards, not beside itself', async () => {
  let active = 0;
  let most = 0;
  let runs = 0;
  const release: (() => void)[] = [];
  const { clock, queue, stop, ended } = setUp(async () => {
    runs++;
    most = Math.max(most, ++active);
    await new Promise<void>((resolve) => release.push(resolve));
    active--;
  });
  queue.add('a');
  await clock.advance(0);
  queue.add('a');
  queue.add('a');
  await clock.advance(0);
  release.shift()?.();
  await clock.advance(0);
  expect(runs).toBe(2);
  expect(most).toBe(1);
  stop.abort();
  release.shift()?.();
  await ended;
});

test('no more keys are worked on at once than allowed', async () => {
  let active = 0;
  let most = 0;
  const { clock, queue, stop, ended } = setUp(async () => {
    most = Math.max(most, ++active);
    await clock.sleep(10);
    active--;
  }, 3);
  for (let i = 0; i < 10; i++) queue.add(`k${i}`);
  await clock.advance(100);
  expect(most).toBe(3);
  expect(active).toBe(0);
  stop.abort();
  await ended;
});

test('failed work is retried with backoff, and the error is reported each time', async () => {
  const at: number[] = [];
  const { clock, queue, errors, stop, ended } = setUp(async () => {
    at.push(clock.now());
    if (at.length < 4) throw new Error('not yet');
    return undefined;
  });
  queue.add('a');
  await clock.advance(5000);
  expect(at).toEqual([0, 100, 300, 700]);
  expect(errors).toHaveLength(3);
  stop.abort();
  await ended;
});

test('of several delays the earliest counts, and all are gone once the queue has stopped', async () => {
  const at: number[] = [];
  const { clock, queue, stop, ended } = setUp(async () => void at.push(clock.now()));
  queue.addAfter('a', 500);
  queue.addAfter('a', 50);
  queue.addAfter('a', 200);
  await clock.advance(100);
  expect(at).toEqual([50]);
  queue.addAfter('b', 1000);
  stop.abort();
  await ended;
  expect(clock.pending).toBe(0);
});

test('long work yields to the event loop', async () => {
  let done = 0;
  const { queue, stop, ended } = setUp(async () => void done++, 1);
  for (let i = 0; i < 200; i++) queue.add(`k${i}`);
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(200);
  stop.abort();
  await ended;
});
