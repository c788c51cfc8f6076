import { describe, expect, it } from 'vitest';
import {
  renderAge,
  renderBytes,
  renderCount,
  renderDuration,
  renderExact,
  renderNoun,
  renderShare,
  renderShortCount,
} from './format.ts';

describe('numbers and times for people', () => {
  it('groups digits, and shortens where there is room for four characters', () => {
    expect(renderCount(1_204_000)).toBe('1,204,000');
    expect(['9,999', '12k', '999k', '1.2M']).toEqual([9_999, 12_345, 999_999, 1_200_000].map(renderShortCount));
    expect([renderNoun(1, 'image'), renderNoun(0, 'image'), renderNoun(7, 'registry', 'registries')]).toEqual([
      '1 image',
      '0 images',
      '7 registries',
    ]);
  });

  it('writes bytes in the unit in which they are between 1 and 1,000', () => {
    expect([0, 999, 1000, 226_000_000, 999_600_000, 4_440_000_000].map(renderBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 KB',
      '226 MB',
      '1.0 GB',
      '4.4 GB',
    ]);
  });

  it('writes durations in at most two units', () => {
    expect([340, 12_300, 59_700, 245_000, 7_800_000, 273_600_000].map(renderDuration)).toEqual([
      '340 ms',
      '12 s',
      '1 min',
      '4 min 5 s',
      '2 h 10 min',
      '3 d 4 h',
    ]);
  });

  it('says how long ago something was, and when something will be', () => {
    const now = Date.parse('2026-11-18T12:00:00Z');
    const ages = [0, 12, 240, 7200, 172_800, 40_000_000, -240].map((seconds) => renderAge(now - seconds * 1000, now));
    expect(ages).toEqual(['now', '12 s ago', '4 min ago', '2 h ago', '2 d ago', '1 y ago', 'in 4 min']);
    expect(renderExact(now + 999)).toBe('2026-11-18 12:00:00 UTC');
  });

  it('never calls a part nothing or everything', () => {
    expect([
      renderShare(0, 10),
      renderShare(1, 9000),
      renderShare(140, 226),
      renderShare(9999, 10_000),
      renderShare(10, 10),
      renderShare(1, 0),
    ]).toEqual(['0 %', '< 1 %', '62 %', '99 %', '100 %', '–']);
  });
});
