import { describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../../test/support/fake-clock.ts';
import { WriteRate } from './write-rate.ts';

const limits = { least: 10, leastWhenSlow: 100, first: 200, most: 1_000 };

/** Eight writers for some seconds at a server that answers as given; the number of writes in each second. */
async function writesBySecond(
  seconds: number,
  answer: (clock: FakeClock) => { readonly tookMs: number; readonly refusedForMs?: number },
): Promise<{ readonly counts: readonly number[]; readonly rate: WriteRate }> {
  const clock = createFakeClock();
  const rate = new WriteRate(clock, limits);
  const stop = new AbortController();
  const counts = Array.from({ length: seconds }, () => 0);
  const write = async () => {
    while (clock.now() < seconds * 1_000) {
      await rate.take(stop.signal);
      const { tookMs, refusedForMs } = answer(clock);
      await clock.sleep(tookMs, stop.signal);
      const second = Math.floor(clock.now() / 1_000);
      if (refusedForMs !== undefined) rate.refused(refusedForMs);
      else {
        rate.succeeded(tookMs);
        if (second < seconds) counts[second]!++;
      }
    }
  };
  const writing = Promise.all(Array.from({ length: 8 }, () => write().catch(() => {})));
  await clock.advance(seconds * 1_000);
  stop.abort();
  await writing;
  return { counts, rate };
}

describe('the rate of writes', () => {
  it('grows while the server answers fast: a thousand writes take less than three seconds', async () => {
    const { counts, rate } = await writesBySecond(5, () => ({ tookMs: 5 }));
    expect(counts[0]! + counts[1]! + counts[2]!).toBeGreaterThan(1_000);
    expect(rate.perSecond).toBe(limits.most);
  });

  it('is halved by refusals, once a second, and waits as long as the server says', async () => {
    const { counts, rate } = await writesBySecond(4, (clock) =>
      clock.now() > 1_000 && clock.now() < 1_300 ? { tookMs: 5, refusedForMs: 2_000 } : { tookMs: 5 },
    );
    expect(counts[0]).toBeGreaterThan(200);
    expect(counts[2]).toBeLessThan(20);
    expect(counts[3]).toBeGreaterThan(50);
    expect(rate.perSecond).toBeLessThan(limits.most / 2 + 100);
  });

  it('falls while answers come late, never below its least, and recovers', async () => {
    const slow = await writesBySecond(8, (clock) => ({ tookMs: clock.now() < 1_000 ? 5 : 900 }));
    expect(slow.rate.perSecond).toBe(limits.leastWhenSlow);
    const refused = await writesBySecond(30, () => ({ tookMs: 5, refusedForMs: 0 }));
    expect(refused.rate.perSecond).toBe(limits.least);
    const before = refused.rate.perSecond;
    for (let i = 0; i < 100; i++) refused.rate.succeeded(5);
    expect(refused.rate.perSecond).toBeGreaterThan(before);
  });

  it('does not fall because a server is always slow', async () => {
    const { rate } = await writesBySecond(10, () => ({ tookMs: 300 }));
    expect(rate.perSecond).toBeGreaterThan(limits.first);
  });
});
