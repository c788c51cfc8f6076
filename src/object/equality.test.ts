import { expect, test } from 'vitest';
import { deepEqual, semanticEqual } from './equality.ts';

test.each<[unknown, unknown, boolean]>([
  [undefined, null, true],
  [{}, undefined, true],
  [[], null, true],
  [{ a: 1, b: null }, { a: 1 }, true],
  [{ a: 1, b: {} }, { a: 1, b: [] }, true],
  [{ a: { b: { c: [] } } }, {}, true],
  [{ a: '' }, {}, false],
  [{ a: 0 }, {}, false],
  [{ a: false }, {}, false],
  [[null], [], false],
  [[1, 2], [2, 1], false],
  [{ a: [{ b: 1, c: null }] }, { a: [{ b: 1 }] }, true],
  [{ a: 1 }, [1], false],
  [1n, 1n, true],
  [1, '1', false],
  [{ constructor: null }, {}, true],
])('%o and %o are semantically equal: %s', (a, b, expected) => {
  expect(semanticEqual(a, b)).toBe(expected);
  expect(semanticEqual(b, a)).toBe(expected);
});

test('deep equality is exact', () => {
  expect(deepEqual({ a: [1, { b: 2n }] }, { a: [1, { b: 2n }] })).toBe(true);
  expect(deepEqual({ a: null }, {})).toBe(false);
});
