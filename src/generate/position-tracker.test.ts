import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PositionTracker } from './position-tracker.ts';

const at = (resourceVersion: string) => ({ resourceVersion, listedAtServerMs: undefined });
const noted = (version: number, seconds: number, uid = `u${version}`) => ({
  resourceVersion: String(version),
  timeMs: seconds * 1000,
  uid,
});

describe('PositionTracker', () => {
  it('has no position before the first list is complete, then the time of the response', () => {
    const progress = new PositionTracker();
    expect(progress.position({ resourceVersion: undefined, listedAtServerMs: undefined })).toBeUndefined();
    expect(progress.position({ resourceVersion: '7', listedAtServerMs: 5_000 })).toEqual({
      resourceVersion: '7',
      timeMs: 5_000,
      handled: [],
    });
  });

  it('stays before the oldest event whose work is not done', () => {
    const progress = new PositionTracker();
    progress.note(noted(1, 10), 0);
    const second = progress.note(noted(2, 11), 1);
    const third = progress.note(noted(3, 12), 2);
    third();
    third();
    expect(progress.position(at('9'))).toMatchObject({ resourceVersion: '1', timeMs: 10_000 });
    second();
    expect(progress.position(at('9'))).toMatchObject({ resourceVersion: '9', timeMs: 12_000, handled: ['u3'] });
  });

  it('remembers what was written in the last second, and forgets it with the next', () => {
    const progress = new PositionTracker();
    for (const version of [1, 2, 3]) progress.note(noted(version, 10), 0);
    expect(progress.position(at('3'))?.handled).toEqual(['u1', 'u2', 'u3']);
    progress.note(noted(4, 11), 0);
    expect(progress.position(at('4'))?.handled).toEqual(['u4']);
  });

  it('counts a list only when all of it is done, because its order is not time order', () => {
    const progress = new PositionTracker({ resourceVersion: '5', timeMs: 1_000, handled: [] });
    const young = progress.note({ timeMs: 90_000, uid: 'young' }, 1);
    const old = progress.note({ timeMs: 50_000, uid: 'old' }, 1);
    young();
    expect(progress.position(at('50'))).toMatchObject({ resourceVersion: '5', timeMs: 1_000 });
    old();
    expect(progress.position(at('50'))).toEqual({ resourceVersion: '50', timeMs: 90_000, handled: ['young'] });
  });

  it('never passes an event that is not done, in whatever order work ends', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }), fc.nat(), (works, seed) => {
        const progress = new PositionTracker();
        const open = works.flatMap((work, i) => {
          const done = progress.note(noted(i + 1, i), work);
          return Array.from({ length: work }, () => ({ version: i + 1, done }));
        });
        for (let rest = open.slice(), s = seed; rest.length > 0; s = (s * 31 + 7) % 65_521) {
          const [one] = rest.splice(s % rest.length, 1);
          one!.done();
          const reached = Number(progress.position(at('1000'))?.resourceVersion ?? 0);
          for (const { version } of rest) expect(reached).toBeLessThan(version);
        }
        expect(progress.isIdle).toBe(true);
      }),
    );
  });
});
