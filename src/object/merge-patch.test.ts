import { expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { applyMergePatch } from './merge-patch.ts';

test.each<[Json, Json, Json]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [['a', 'b'], { a: 'c' }, { a: 'c' }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: 'foo' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  [{}, { a: [{ b: null }, null] }, { a: [{}, null] }],
  [{ constructor: 'x' }, { toString: 'y' }, { constructor: 'x', toString: 'y' }],
])('%j with %j is %j', (document, patch, expected) => {
  const before = JSON.stringify([document, patch]);
  expect(applyMergePatch(document, patch)).toEqual(expected);
  expect(JSON.stringify([document, patch])).toBe(before);
});

test('shares, not copies, what the patch does not change', () => {
  const document = { kept: { a: 1 }, changed: { b: 1 } };
  const result = applyMergePatch(document, { changed: { b: 2 } }) as typeof document;
  expect(result.kept).toBe(document.kept);
});

test.each([[null], ['text'], [1], [[]]])('rejects %j as a merge patch', (patch) => {
  expect(() => applyMergePatch({}, patch)).toThrow('a merge patch must be an object');
});
