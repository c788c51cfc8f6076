import { describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { WriteLanes } from './write-lanes.ts';

function setUp({ waitingConcurrency = 1 } = {}) {
  const clock = createFakeClock();
  const waits = new Set<string>();
  const depths: number[] = [];
  const metrics = { ...unreadMetrics().forQueue('test'), depthChanged: (depth: number) => void depths.push(depth) };
  const lanes = new WriteLanes({ clock, metrics, canWait: (key) => waits.has(key) });
  const stop = new AbortController();
  const log: string[] = [];
  const active = new Set<string>();
  const work = async (key: string, signal: AbortSignal) => {
    if (key === 'broken') throw new Error('broken');
    if (active.has(key)) log.push(`${key} twice at once`);
    active.add(key);
    log.push(`${clock.now()} ${key}`);
    await clock.sleep(100, signal).catch(() => log.push(`abort ${key}`));
    active.delete(key);
  };
  const done = lanes.run(work, stop.signal, { concurrency: 1, waitingConcurrency });
  const addWaiting = (...keys: readonly string[]) => {
    for (const key of keys) {
      waits.add(key);
      lanes.add(key);
    }
  };
  return { clock, lanes, waits, addWaiting, stop, log, depths, done };
}

describe('lanes of a workqueue', () => {
  it('let neither kind of key wait for the other', async () => {
    const { clock, lanes, addWaiting, log } = setUp();
    addWaiting('x', 'y', 'z');
    for (const key of ['a', 'b', 'c']) lanes.add(key);
    await clock.advance(1000);
    expect([...log].sort()).toEqual(['0 a', '0 x', '100 b', '100 y', '200 c', '200 z']);
  });

  it('work on a waiting key at once when it is added and can wait no longer', async () => {
    const { clock, lanes, waits, addWaiting, log } = setUp();
    addWaiting('x', 'y', 'z');
    await clock.advance(50);
    waits.delete('z');
    lanes.add('z');
    await clock.advance(1000);
    // Its turn in the second lane comes too; what is done already costs nothing.
    expect(log).toEqual(['0 x', '50 z', '100 y', '200 z']);
  });

  it('work on no key twice at once, and again after a run during which it was added', async () => {
    const { clock, lanes, waits, addWaiting, log } = setUp();
    addWaiting('x');
    await clock.advance(50);
    waits.delete('x');
    lanes.add('x');
    lanes.add('a');
    await clock.advance(1000);
    expect(log).toEqual(['0 x', '50 a', '150 x']);
  });

  it('skip in the second lane what the first is working on', async () => {
    const { clock, lanes, waits, addWaiting, log } = setUp();
    addWaiting('x', 'y');
    await clock.advance(50);
    waits.delete('y');
    lanes.add('y');
    await clock.advance(1000);
    expect(log).toEqual(['0 x', '50 y']);
  });

  it('show the keys of both in one number', async () => {
    const { clock, lanes, addWaiting, depths } = setUp();
    addWaiting('x', 'y', 'z');
    for (const key of ['a', 'b']) lanes.add(key);
    await clock.advance(50);
    expect(depths.at(-1)).toBe(3);
    await clock.advance(1000);
    expect(depths.at(-1)).toBe(0);
  });

  it('stop both when the signal aborts, and when the work of one fails', async () => {
    const stopped = setUp();
    stopped.addWaiting('x');
    stopped.lanes.add('a');
    await stopped.clock.advance(50);
    stopped.stop.abort();
    await stopped.done;
    expect([...stopped.log].sort()).toEqual(['0 a', '0 x', 'abort a', 'abort x']);

    const failed = setUp();
    failed.addWaiting('x');
    failed.lanes.add('a');
    const rejection = expect(failed.done).rejects.toThrow('broken');
    failed.addWaiting('broken');
    await failed.clock.advance(1000);
    await rejection;
    expect(failed.log).toEqual(expect.arrayContaining(['0 a', '0 x']));
  });
});
