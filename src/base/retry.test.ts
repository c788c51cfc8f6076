import { describe, expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { SupercargoError } from './errors.ts';
import { backoffMs, retry } from './retry.ts';

const noJitter = { baseMs: 100, maxMs: 1_000, jitter: 0 };

describe('the pause between attempts', () => {
  test('doubles up to its limit', () => {
    expect([0, 1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, noJitter))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
  });

  test('is only shortened by jitter', () => {
    expect(backoffMs(0, { ...noJitter, jitter: 0.5, random: () => 1 })).toBe(50);
    expect(backoffMs(0, { ...noJitter, jitter: 0.5, random: () => 0 })).toBe(100);
  });
});

describe('retrying', () => {
  const recordingClock = (pauses: number[]): Clock => ({
    now: () => 0,
    monotonicMs: () => 0,
    after: () => () => {},
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      pauses.push(ms);
    },
  });
  const run = (errors: unknown[], attempts: number, signal?: AbortSignal) => {
    const pauses: number[] = [];
    const result = retry(
      async (attempt) => {
        if (attempt < errors.length) throw errors[attempt];
        return attempt;
      },
      { ...noJitter, attempts, clock: recordingClock(pauses), ...(signal ? { signal } : {}) },
    );
    return { pauses, result };
  };

  test('retries until it succeeds', async () => {
    const { pauses, result } = run([new Error('a'), new Error('b')], 5);
    expect(await result).toBe(2);
    expect(pauses).toEqual([100, 200]);
  });

  test('throws the last error when the attempts are used up', async () => {
    const { pauses, result } = run([new Error('a'), new Error('b')], 2);
    await expect(result).rejects.toThrow('b');
    expect(pauses).toEqual([100]);
  });

  test('stops at an error with retry never, and at an abort', async () => {
    await expect(run([new SupercargoError('x', 'final')], 5).result).rejects.toThrow('final');
    await expect(run([AbortSignal.abort().reason], 5).result).rejects.toThrow('aborted');
  });

  test('waits as long as the error says', async () => {
    const { pauses, result } = run([new SupercargoError('x', 'busy', { retry: { afterMs: 7_000 } })], 2);
    await result;
    expect(pauses).toEqual([7_000]);
  });

  test('stops on abort before the next attempt', async () => {
    await expect(run([], 3, AbortSignal.abort(new Error('over'))).result).rejects.toThrow('over');
  });
});
