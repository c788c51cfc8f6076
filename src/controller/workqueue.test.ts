import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { systemClock } from '../base/index.ts';
import { createWorkqueue, type WorkOptions, type WorkqueueMetrics } from './workqueue.ts';

const unread = () => unreadMetrics().forQueue('test');

function setup(options: WorkOptions & { workMs?: number; metrics?: WorkqueueMetrics; jitter?: number } = {}) {
  const clock = createFakeClock();
  const { metrics = unread(), jitter = 0, workMs = 10 } = options;
  const queue = createWorkqueue({ clock, backoff: { jitter }, metrics });
  const stop = new AbortController();
  const log: string[] = [];
  const done = queue.run(
    async (key, signal) => {
      log.push(`${clock.now()} start ${key}`);
      await clock.sleep(workMs, signal).catch(() => log.push(`${clock.now()} abort ${key}`));
      log.push(`${clock.now()} end ${key}`);
    },
    stop.signal,
    options,
  );
  return { clock, queue, stop, log, done };
}

const starts = (log: readonly string[]) => log.filter((line) => line.includes('start'));

describe('a workqueue', () => {
  it('runs a key once however often it was added while waiting, in the order of the first adds', async () => {
    const { clock, queue, log } = setup();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    await clock.advance(100);
    expect(starts(log)).toEqual(['0 start a', '10 start b', '20 start c']);
  });

  it('runs a key again after its run when it was added during the run, never concurrently', async () => {
    const { clock, queue, log } = setup({ concurrency: 4 });
    queue.add('a');
    await clock.advance(5);
    queue.add('a');
    queue.add('a');
    await clock.advance(100);
    expect(log).toEqual(['0 start a', '10 end a', '10 start a', '20 end a']);
  });

  it('processes at most `concurrency` keys at once', async () => {
    const { clock, queue, log } = setup({ concurrency: 2 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(5);
    expect(starts(log)).toEqual(['0 start a', '0 start b']);
    expect(queue.depth).toBe(1);
    await clock.advance(100);
    expect(starts(log)).toHaveLength(3);
  });

  it('keeps keys that were added before it ran', async () => {
    const clock = createFakeClock();
    const queue = createWorkqueue({ clock, metrics: unread() });
    queue.add('early');
    const seen: string[] = [];
    void queue.run(async (key) => void seen.push(key), new AbortController().signal);
    await clock.advance(0);
    expect(seen).toEqual(['early']);
  });

  it('uses the earliest of several times for one key', async () => {
    const { clock, queue, log } = setup();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    queue.addAfter('now', 0);
    queue.addAfter('also now', Number.NaN);
    await clock.advance(2000);
    expect(starts(log)).toEqual(['0 start now', '10 start also now', '100 start a']);
  });

  it('supports delays beyond the limit of a timer', async () => {
    const { clock, queue, log } = setup();
    const fortyDays = 40 * 86_400_000;
    queue.addAfter('a', fortyDays);
    await clock.advance(fortyDays - 1);
    expect(log).toEqual([]);
    await clock.advance(1);
    expect(starts(log)).toEqual([`${fortyDays} start a`]);
  });

  it('doubles the pause of a key from 5 ms to 1000 s, independent of other keys, until it is forgotten', () => {
    const { queue } = setup();
    const pauses = Array.from({ length: 20 }, () => queue.addRateLimited('a'));
    expect(pauses.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(pauses.at(-1)).toBe(1_000_000);
    expect(queue.addRateLimited('b')).toBe(5);
    expect(queue.retries('a')).toBe(20);
    queue.forget('a');
    expect(queue.retries('a')).toBe(0);
    expect(queue.addRateLimited('a')).toBe(5);
  });

  it('randomises part of every pause, so that keys that failed together do not retry together', () => {
    const { queue } = setup({ jitter: 0.5 });
    const pauses = new Set(
      Array.from({ length: 50 }, (_, i) => {
        for (let j = 0; j < 10; j++) queue.addRateLimited(`k${i}`);
        return queue.addRateLimited(`k${i}`);
      }),
    );
    expect(pauses.size).toBeGreaterThan(30);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2560);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(5120);
  });

  it('drops waiting keys and aborts active ones when it stops', async () => {
    const { clock, queue, stop, log, done } = setup();
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 50);
    await clock.advance(5);
    stop.abort();
    queue.add('d');
    await done;
    expect(log).toEqual(['0 start a', '5 abort a', '5 end a']);
    expect(queue.depth).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('with drain, processes ready keys and keys re-added during their run, but accepts no new ones', async () => {
    const { clock, queue, stop, log, done } = setup({ onStop: 'drain' });
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('later', 12);
    await clock.advance(5);
    queue.add('a');
    stop.abort();
    queue.add('new');
    await clock.advance(100);
    await done;
    expect(log).toEqual(['0 start a', '10 end a', '10 start b', '20 end b', '20 start a', '30 end a']);
    expect(clock.pending).toBe(0);
  });

  it('drops the rest when draining takes longer than allowed', async () => {
    const { clock, queue, stop, log, done } = setup({ onStop: 'drain', drainMs: 15 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await clock.advance(0);
    stop.abort();
    await clock.advance(100);
    await done;
    expect(log).toEqual(['0 start a', '10 end a', '10 start b', '15 abort b', '15 end b']);
  });

  it('stops at once when its signal has already aborted', async () => {
    const queue = createWorkqueue({ clock: createFakeClock(), metrics: unread() });
    queue.add('a');
    await queue.run(() => Promise.reject(new Error('must not run')), AbortSignal.abort());
  });

  it('rejects with the error when the work function rejects, after the active keys ended', async () => {
    const clock = createFakeClock();
    const queue = createWorkqueue({ clock, metrics: unread() });
    let others = 0;
    queue.add('good');
    queue.add('bad');
    const work = async (key: string) => {
      if (key === 'bad') throw new Error('broken');
      await clock.sleep(10);
      others++;
    };
    const done = queue.run(work, new AbortController().signal, { concurrency: 2 });
    const outcome = expect(done).rejects.toThrow('broken');
    await clock.advance(20);
    await outcome;
    expect(others).toBe(1);
  });

  it('refuses to run twice', async () => {
    const queue = createWorkqueue({ metrics: unread() });
    await queue.run(async () => {}, AbortSignal.abort());
    await expect(queue.run(async () => {}, AbortSignal.abort())).rejects.toMatchObject({
      code: 'controller-queue-used',
    });
  });

  it('reports adds, depth, wait time, work time and retries', async () => {
    const recorded: string[] = [];
    const { clock, queue } = setup({
      metrics: {
        added: () => recorded.push('added'),
        depthChanged: (depth) => recorded.push(`depth ${depth}`),
        started: (ms) => recorded.push(`waited ${ms}`),
        finished: (ms) => recorded.push(`took ${ms}`),
        retried: () => recorded.push('retried'),
      },
    });
    queue.add('a');
    queue.add('b');
    queue.add('b');
    await clock.advance(15);
    queue.addRateLimited('c');
    expect(recorded).toEqual([
      ...['added', 'depth 1', 'depth 0', 'added', 'depth 1', 'waited 0'],
      ...['took 10', 'depth 0', 'waited 10', 'retried'],
    ]);
  });

  it('yields to the event loop although the work never waits', async () => {
    const queue = createWorkqueue({ clock: systemClock, metrics: unread() });
    const stop = new AbortController();
    for (let i = 0; i < 60; i++) queue.add(`k${i}`);
    let left = 60;
    let turnsDuringWork = 0;
    const turn = () => {
      if (left === 0) return;
      turnsDuringWork++;
      setImmediate(turn);
    };
    setImmediate(turn);
    await queue.run(async () => {
      for (const until = performance.now() + 1; performance.now() < until; );
      if (--left === 0) stop.abort();
    }, stop.signal);
    expect(turnsDuringWork).toBeGreaterThanOrEqual(3);
  });

  it('processes 200,000 keys in the order of their adds', async () => {
    const queue = createWorkqueue({ clock: systemClock, metrics: unread() });
    const stop = new AbortController();
    const total = 200_000;
    for (let i = 0; i < total; i++) queue.add(`namespace/name-${i}`);
    let next = 0;
    let isInOrder = true;
    await queue.run(async (key) => {
      if (key !== `namespace/name-${next++}`) isInOrder = false;
      if (next === total) stop.abort();
    }, stop.signal);
    expect(isInOrder).toBe(true);
    expect(next).toBe(total);
  });
});

type QueueStep =
  | { readonly do: 'add' | 'addRateLimited' | 'forget'; readonly key: string }
  | { readonly do: 'addAfter'; readonly key: string; readonly ms: number }
  | { readonly do: 'wait'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<QueueStep> = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'addRateLimited' as const, 'forget' as const), key }),
  fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.integer({ min: 0, max: 200 }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 60 }) }),
);

it('runs every key after its last add and never twice at once, for any sequence of adds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 8 }),
      async (steps, concurrency, workTimes) => {
        const clock: FakeClock = createFakeClock();
        const queue = createWorkqueue({ clock, metrics: unread() });
        const active = new Set<string>();
        const owed = new Set<string>();
        let runs = 0;
        let most = 0;
        void queue.run(
          async (name) => {
            if (active.has(name)) throw new Error(`${name} is worked on twice at once`);
            active.add(name);
            owed.delete(name);
            most = Math.max(most, active.size);
            await clock.sleep(workTimes[runs++ % workTimes.length]!);
            active.delete(name);
          },
          new AbortController().signal,
          { concurrency },
        );
        for (const one of steps) {
          if (one.do === 'wait') await clock.advance(one.ms);
          else if (one.do === 'forget') queue.forget(one.key);
          else {
            owed.add(one.key);
            if (one.do === 'addAfter') queue.addAfter(one.key, one.ms);
            else queue[one.do](one.key);
          }
        }
        await clock.advance(3_000_000);
        expect([...owed]).toEqual([]);
        expect(active.size).toBe(0);
        expect(most).toBeLessThanOrEqual(concurrency);
      },
    ),
    { numRuns: 200 },
  );
});
