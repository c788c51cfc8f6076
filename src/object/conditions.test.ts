import { expect, test } from 'vitest';
import { findCondition, isTrue, setCondition } from './conditions.ts';

const at = (minute: number) => Date.UTC(2024, 0, 1, 0, minute);
const ready = { type: 'Ready', status: 'True', reason: 'Done', message: '' } as const;

test('a new condition has the current time', () => {
  expect(setCondition(undefined, ready, at(1))).toEqual([{ ...ready, lastTransitionTime: '2024-01-01T00:01:00Z' }]);
});

test('the time stays while the status does, whatever else changes', () => {
  const before = setCondition([], ready, at(1));
  const after = setCondition(before, { ...ready, reason: 'Other', observedGeneration: 2 }, at(9));
  expect(after).toEqual([
    { ...ready, reason: 'Other', observedGeneration: 2, lastTransitionTime: '2024-01-01T00:01:00Z' },
  ]);
  expect(before[0]?.reason).toBe('Done');
});

test('the time changes with the status, and the position in the list stays', () => {
  const two = setCondition(setCondition([], ready, at(1)), { ...ready, type: 'Stalled', status: 'False' }, at(2));
  const after = setCondition(two, { ...ready, status: 'False' }, at(3));
  expect(after.map((c) => [c.type, c.lastTransitionTime])).toEqual([
    ['Ready', '2024-01-01T00:03:00Z'],
    ['Stalled', '2024-01-01T00:02:00Z'],
  ]);
});

test('an unchanged condition returns the same list', () => {
  const before = setCondition([], ready, at(1));
  expect(setCondition(before, ready, at(5))).toBe(before);
});

test('conditions are found by type', () => {
  const conditions = setCondition([], ready, at(1));
  expect(findCondition(conditions, 'Ready')?.reason).toBe('Done');
  expect(isTrue(conditions, 'Ready')).toBe(true);
  expect(isTrue(conditions, 'Stalled')).toBe(false);
  expect(isTrue(undefined, 'Ready')).toBe(false);
});
