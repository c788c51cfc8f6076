import { expect, it } from 'vitest';
import { createShares } from './shares.ts';

it('leaves places for others, whatever one holder takes', () => {
  const shares = createShares({ max: 4, maxOfOne: 3 });
  const own = Array.from({ length: 5 }, () => shares.take('mallory'));
  expect(own.map((back) => back !== undefined)).toEqual([true, true, true, false, false]);
  expect(shares.take('ann')).toBeDefined();
  expect(shares.take('ben')).toBeUndefined();
  // Twice the same place: it counts once.
  own[0]!();
  own[0]!();
  expect(shares.taken).toBe(3);
  expect(shares.take('ben')).toBeDefined();
  expect(shares.take('ben')).toBeUndefined();
});
