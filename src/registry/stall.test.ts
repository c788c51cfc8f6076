import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/index.ts';
import { monitorStall } from './stall.ts';

/** A clock that moves only on request. */
function handClock() {
  let now = 0;
  const timers = new Set<{ at: number; fn: () => void }>();
  const clock: Clock = {
    now: () => now,
    monotonicMs: () => now,
    sleep: async () => undefined,
    after(ms, fn) {
      const timer = { at: now + ms, fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const advance = (ms: number) => {
    now += ms;
    for (const timer of [...timers]) if (timer.at <= now && timers.delete(timer)) timer.fn();
  };
  return { clock, advance, pending: () => timers.size };
}

const line = { registry: 'r', method: 'PUT', url: 'https://r/x' };

describe('an upload', () => {
  it('is aborted when the target accepts no bytes, but not while the source is slow', async () => {
    const { clock, advance, pending } = handClock();
    const watch = monitorStall(clock, undefined, { takeMs: 100, finishMs: 1000 });
    let more = (_: Uint8Array) => {};
    async function* source() {
      yield Buffer.from('a');
      yield await new Promise<Uint8Array>((resolve) => {
        more = resolve;
      });
    }
    const pieces = watch.through(source())[Symbol.asyncIterator]();
    await pieces.next();
    const second = pieces.next();
    await Promise.resolve();
    advance(500);
    expect(watch.signal.aborted).toBe(false);
    more(Buffer.from('b'));
    await second;
    advance(99);
    expect(watch.signal.aborted).toBe(false);
    advance(60);
    advance(60);
    expect(watch.signal.aborted).toBe(true);
    expect(watch.failure(line)).toMatchObject({ code: 'registry-timeout', retry: 'backoff' });
    watch.stop();
    expect(pending()).toBe(0);
  });

  it('follows the signal of the caller', () => {
    const { clock } = handClock();
    const outer = new AbortController();
    const watch = monitorStall(clock, outer.signal, { takeMs: 100, finishMs: 1000 });
    outer.abort(new Error('called off'));
    expect(watch.signal.reason).toMatchObject({ message: 'called off' });
    expect(watch.failure(line)).toBeUndefined();
    watch.stop();
  });
});
