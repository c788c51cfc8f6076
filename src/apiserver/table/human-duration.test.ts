import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderAge, renderHumanDuration } from './human-duration.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-5 * second, '<invalid>'],
  [-1500, '0s'],
  [0, '0s'],
  [999, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [3 * minute + 12 * second, '3m12s'],
  [9 * minute + 59 * second, '9m59s'],
  [10 * minute + 30 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [7 * hour + 59 * minute, '7h59m'],
  [8 * hour + 30 * minute, '8h'],
  [47 * hour, '47h'],
  [5 * day + 4 * hour, '5d4h'],
  [8 * day + 4 * hour, '8d'],
  [729 * day, '729d'],
  [2 * 365 * day + 30 * day, '2y30d'],
  [9 * 365 * day, '9y'],
])('%d ms reads %s', (ms, expected) => {
  expect(renderHumanDuration(ms)).toBe(expected);
});

test('a duration never takes more than two units', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20 * 365 * day }), (ms) => {
      expect(renderHumanDuration(ms)).toMatch(/^\d+[smhdy](\d+[smhd])?$/);
    }),
  );
});

test('the age of something without a time is unknown', () => {
  expect(renderAge(undefined, 0)).toBe('<unknown>');
  expect(renderAge(null, 0)).toBe('<unknown>');
});
