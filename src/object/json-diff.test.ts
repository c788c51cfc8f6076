import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual } from './equality.ts';
import { diffJson } from './json-diff.ts';
import { applyJsonPatch } from './json-patch.ts';

const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'x/y', 'm~n', ''), fc.string({ maxLength: 3 }));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1, 'a', 'b'),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(
      key.filter((name) => name !== '__proto__'),
      tie('json'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));
const object = fc.dictionary(
  key.filter((name) => name !== '__proto__'),
  json,
  { maxKeys: 5, noNullPrototype: true },
);

describe('a difference', () => {
  it('applied to the object before gives the object after', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(deepEqual(applyJsonPatch(before, diffJson(before, after)), after)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is empty exactly when nothing differs', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(diffJson(before, after).length === 0).toBe(deepEqual(before, after));
        expect(diffJson(before, structuredClone(before))).toEqual([]);
      }),
    );
  });

  it.each([
    ['a new field', { a: 1 }, { a: 1, b: 2 }, [{ op: 'add', path: '/b', value: 2 }]],
    ['a field that goes', { a: 1, b: 2 }, { a: 1 }, [{ op: 'remove', path: '/b' }]],
    ['a value inside', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, [{ op: 'replace', path: '/a/b/1', value: 3 }]],
    ['an element in front', { l: [1, 2] }, { l: [0, 1, 2] }, [{ op: 'add', path: '/l/0', value: 0 }]],
    ['an element out of the middle', { l: [1, 2, 3] }, { l: [1, 3] }, [{ op: 'remove', path: '/l/1' }]],
    [
      'two that come apart from each other',
      { l: [1, 2, 3] },
      { l: [0, 1, 2, 9, 3] },
      [
        { op: 'add', path: '/l/0', value: 0 },
        { op: 'add', path: '/l/3', value: 9 },
      ],
    ],
    ['a key with a slash', { m: {} }, { m: { 'a/b~c': 1 } }, [{ op: 'add', path: '/m/a~1b~0c', value: 1 }]],
    ['another type', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
  ])('of %s is one operation per change', (_, before, after, expected) => {
    expect(diffJson(before, after)).toEqual(expected);
  });

  it('treats an undefined field as absent', () => {
    expect(diffJson({ a: undefined }, {})).toEqual([]);
    expect(diffJson({ a: 1 }, { a: undefined })).toEqual([{ op: 'remove', path: '/a' }]);
  });

  it('of long lists stays within the limit of one patch', () => {
    const list = (n: number, from: number) => Array.from({ length: n }, (_, i) => ({ i: i + from }));
    const before = { l: list(500, 0) };
    const after = { l: list(400, 1000) };
    const patch = diffJson(before, after);
    expect(applyJsonPatch(before, patch)).toEqual(after);
  });
});
