import { expect, test } from 'vitest';
import { rfc3339, rfc3339Micro, systemClock } from './clock.ts';

test('formats times as Kubernetes does', () => {
  const ms = Date.UTC(2024, 1, 3, 4, 5, 6, 789);
  expect(rfc3339(ms)).toBe('2024-02-03T04:05:06Z');
  expect(rfc3339Micro(ms)).toBe('2024-02-03T04:05:06.789000Z');
});

test('a sleep rejects with the reason of its signal, before and during', async () => {
  const reason = new Error('stop');
  await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const stop = new AbortController();
  const sleeping = systemClock.sleep(60_000, stop.signal);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});

test('a cancelled timer does not fire, another does', async () => {
  const fired: string[] = [];
  systemClock.after(0, () => fired.push('cancelled'))();
  await new Promise<void>((resolve) => {
    systemClock.after(0, () => {
      fired.push('kept');
      resolve();
    });
  });
  expect(fired).toEqual(['kept']);
});
