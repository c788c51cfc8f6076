import { expect, it } from 'vitest';
import { clockOffset } from './clock.ts';

const date = 'Thu, 19 Nov 2026 12:00:00 GMT';
const atMs = Date.parse(date);

it('clocks that agree differ by nothing, however long the answer took', () => {
  expect(clockOffset(date, { sentMs: atMs + 400, receivedMs: atMs + 420 })).toBe(0);
  expect(clockOffset(date, { sentMs: atMs - 20_000, receivedMs: atMs + 5_000 })).toBe(0);
  expect(clockOffset(date, { sentMs: atMs + 2_500, receivedMs: atMs + 2_600 })).toBe(0);
});

it('tells how far the clock of a machine is behind or ahead', () => {
  expect(clockOffset(date, { sentMs: atMs - 600_000, receivedMs: atMs - 599_000 })).toBe(600_000);
  expect(clockOffset(date, { sentMs: atMs + 3_600_000, receivedMs: atMs + 3_600_100 })).toBe(-3_599_550);
});

it('tells nothing without a date', () => {
  expect(clockOffset(null, { sentMs: 0, receivedMs: 1 })).toBeUndefined();
  expect(clockOffset('soon', { sentMs: 0, receivedMs: 1 })).toBeUndefined();
});
