import { expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

it('parses Retry-After as seconds and as a date', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  expect(parseRetryAfter('7', now)).toBe(7000);
  expect(parseRetryAfter('Tue, 01 Jan 2030 00:00:05 GMT', now)).toBe(5000);
  expect(parseRetryAfter('Mon, 31 Dec 2029 00:00:05 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});
