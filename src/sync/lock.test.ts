import { expect, test } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { type SyncLock, SyncLockedError, withLock } from './lock.ts';
import { repeatSync } from './repeat.ts';

const lockOf = (calls: string[], renew: () => boolean | Promise<boolean>): SyncLock => ({
  acquire: async () => void calls.push('acquire'),
  renew: async () => {
    calls.push('renew');
    return renew();
  },
  release: async () => void calls.push('release'),
});
const never = new AbortController().signal;

test('the holder renews the lock, and releases it at the end', async () => {
  const clock = createFakeClock();
  const calls: string[] = [];
  const work = withLock({ lock: lockOf(calls, () => true), clock, renewMs: 10, signal: never }, (signal) =>
    clock.sleep(25, signal).then(() => 'done'),
  );
  await clock.advance(25);
  expect(await work).toBe('done');
  expect(calls).toEqual(['acquire', 'renew', 'renew', 'release']);
});

test('a lost lock ends the work; a failed renewal does not', async () => {
  const clock = createFakeClock();
  const calls: string[] = [];
  let signs = 0;
  const renew = () => {
    if (++signs === 1) throw new Error('the server is away');
    return false;
  };
  const work = withLock({ lock: lockOf(calls, renew), clock, renewMs: 10, signal: never }, (signal) =>
    clock.sleep(1000, signal),
  );
  const failure = expect(work).rejects.toThrow('another sync has taken over the lock');
  await clock.advance(25);
  await failure;
  expect(calls).toEqual(['acquire', 'renew', 'renew', 'release']);
});

test('a sync is repeated after every interval, whatever the result of the previous one', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const runs: number[] = [];
  const sync = async () => {
    runs.push(clock.now());
    if (runs.length === 1) throw new Error('failed');
    if (runs.length === 2) throw new SyncLockedError('other', 0, 'a lock', 1);
  };
  const loop = repeatSync({ sync, intervalMs: 100, clock, random: () => 0.5, log: silentLogger }, stop.signal);
  await clock.advance(350);
  stop.abort();
  await loop;
  expect(runs).toEqual([0, 100, 200, 300]);
});
