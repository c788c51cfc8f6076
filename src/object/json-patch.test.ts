import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../base/index.ts';
import { applyJsonPatch } from './json-patch.ts';

const op = (op: string, path: string, rest: object = {}) => ({ op, path, ...rest });

describe('a JSON patch', () => {
  test.each<[string, Json, object[], Json]>([
    ['adds a key', { a: 1 }, [op('add', '/b', { value: 2 })], { a: 1, b: 2 }],
    ['overwrites with add', { a: 1 }, [op('add', '/a', { value: null })], { a: null }],
    ['inserts into a list', [1, 3], [op('add', '/1', { value: 2 })], [1, 2, 3]],
    ['appends with a dash', { a: [1] }, [op('add', '/a/-', { value: 2 })], { a: [1, 2] }],
    ['appends at the length', [1], [op('add', '/1', { value: 2 })], [1, 2]],
    ['appends at index -1', [1], [op('add', '/-1', { value: 2 })], [1, 2]],
    ['removes from a list', [1, 2, 3], [op('remove', '/1')], [1, 3]],
    ['removes the last by -1', [1, 2], [op('remove', '/-1')], [1]],
    ['replaces a missing key, as the API server does', {}, [op('replace', '/a', { value: 1 })], { a: 1 }],
    ['replaces the whole document', { a: 1 }, [op('replace', '', { value: { b: 2 } })], { b: 2 }],
    ['moves', { a: { b: 1 } }, [op('move', '/c', { from: '/a/b' })], { a: {}, c: 1 }],
    ['copies', { a: [1] }, [op('copy', '/b', { from: '/a' }), op('add', '/b/-', { value: 2 })], { a: [1], b: [1, 2] }],
    ['copies a missing key as null', {}, [op('copy', '/b', { from: '/a' })], { b: null }],
    ['decodes ~1 and ~0', { 'a/b': 1, '~1': 2 }, [op('remove', '/a~1b'), op('remove', '/~01')], {}],
    ['adds null when the value is missing', {}, [op('add', '/a')], { a: null }],
    ['tests a missing key for null', {}, [op('test', '/a', { value: null })], {}],
    [
      'tests the whole document',
      { a: [1, { b: 2 }] },
      [op('test', '', { value: { a: [1, { b: 2 }] } })],
      { a: [1, { b: 2 }] },
    ],
    ['has keys that are empty', { '': { '': 1 } }, [op('remove', '//')], { '': {} }],
  ])('%s', (_, document, operations, expected) => {
    const before = structuredClone(document);
    expect(applyJsonPatch(document, operations)).toEqual(expected);
    expect(document).toEqual(before);
  });

  test.each<[string, Json, object[], string, string]>([
    ['inapplicable', {}, [op('remove', '/a')], 'Unable to remove nonexistent key: a', 'a missing key to remove'],
    ['inapplicable', [1], [op('remove', '/1')], 'Unable to access invalid index: 1', 'an index beyond the end'],
    ['inapplicable', [1], [op('add', '/3', { value: 1 })], 'invalid index', 'a gap in a list'],
    ['inapplicable', [1], [op('add', '/x', { value: 1 })], 'value was not a proper array index', 'a word as index'],
    ['inapplicable', {}, [op('add', '/a/b', { value: 1 })], 'doc is missing path: "/a/b"', 'a missing parent'],
    ['inapplicable', { a: 1 }, [op('add', '/a/b', { value: 1 })], 'doc is missing path', 'a parent that is a number'],
    ['inapplicable', {}, [op('add', '', { value: 1 })], 'doc is missing path', 'adding at the root'],
    ['inapplicable', { a: {} }, [op('move', '/a/b', { from: '/a' })], 'destination path', 'moving into itself'],
    ['inapplicable', {}, [op('move', '/b', { from: '/a' })], 'nonexistent key: a', 'moving what is not there'],
    ['inapplicable', {}, [{ op: 'add' }], 'failed to decode path', 'an operation without path'],
    ['inapplicable', {}, [op('copy', '/a')], 'failed to decode from', 'a copy without from'],
    ['inapplicable', {}, [op('frob', '/a')], 'Unexpected kind: frob', 'an unknown operation'],
    ['test-failed', { a: 1 }, [op('test', '/a', { value: 2 })], 'testing value /a failed', 'a test that fails'],
    ['test-failed', { a: 1 }, [op('test', '/a', { value: '1' })], 'testing value /a failed', 'text is no number'],
    ['inapplicable', {}, [op('add', '/__proto__/x', { value: 1 })], '__proto__', 'a way to the prototype'],
  ])('%s: %j with %j is refused with "%s": %s', (code, document, operations, message) => {
    const before = structuredClone(document);
    const failure = catchError(() => applyJsonPatch(document, operations));
    expect(failure).toMatchObject({ code: `object-patch-${code}` });
    expect(failure.message).toContain(message);
    expect(document).toEqual(before);
  });

  test('rejects a patch that is not a list', () => {
    expect(() => applyJsonPatch({}, { op: 'add' })).toThrow('must be a list');
    expect(() => applyJsonPatch({}, ['add'])).toThrow('must be an object');
  });

  test('stops copies that double each time', () => {
    const operations = Array.from({ length: 40 }, () => op('copy', '/a/-', { from: '/a' }));
    expect(() => applyJsonPatch({ a: ['x'.repeat(100)] }, operations)).toThrow('exceeding the limit 3145728');
  });

  test('rejects too many operations and too deep nesting', () => {
    const many = Array.from({ length: 10_001 }, () => op('test', '', { value: {} }));
    expect(catchError(() => applyJsonPatch({}, many))).toMatchObject({ code: 'object-patch-too-large' });
    const deeper = Array.from({ length: 600 }, () => [
      op('move', '/b', { from: '/a' }),
      op('add', '/a', { value: {} }),
      op('move', '/a/c', { from: '/b' }),
    ]).flat();
    expect(catchError(() => applyJsonPatch({ a: nested(9_900) }, deeper))).toMatchObject({
      code: 'object-patch-too-large',
    });
  });

  test('bounds a document that grows piece by piece', () => {
    const operations = [op('add', '/a'.repeat(9_000), { value: nested(1_500) })];
    const document = nested(8_999);
    expect(catchError(() => applyJsonPatch(document, operations))).toMatchObject({ code: 'object-patch-too-large' });
    expect(applyJsonPatch({}, [op('add', '/a', { value: nested(500) })])).toHaveProperty('a.a.a');
  });

  test('copies, not shares, a list that two operations write to', () => {
    const original = { a: { b: [1, 2] }, untouched: { c: 1 } };
    const result = applyJsonPatch(original, [
      op('add', '/a/b/-', { value: 3 }),
      op('remove', '/a/b/0'),
    ]) as typeof original;
    expect(result.a.b).toEqual([2, 3]);
    expect(original.a.b).toEqual([1, 2]);
    expect(result.untouched).toBe(original.untouched);
  });

  test('never modifies its inputs', () => {
    const key = fc.constantFrom('a', 'b', '0', '1', '-', '-1');
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ min: 0, max: 3 }),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(key, tie('json'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    const path = fc.array(key, { maxLength: 3 }).map((keys) => keys.map((k) => `/${k}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: json,
    });
    fc.assert(
      fc.property(json, fc.array(operation, { maxLength: 5 }), (document, operations) => {
        const before = JSON.stringify([document, operations]);
        try {
          applyJsonPatch(document, operations);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'PatchError' });
        }
        expect(JSON.stringify([document, operations])).toBe(before);
      }),
    );
  });
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error('nothing was thrown');
}

function nested(levels: number): Json {
  return JSON.parse(`${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`);
}

test('__proto__ is an ordinary key of every operation', () => {
  const document = JSON.parse('{"a":{"__proto__":{"b":1}}}');
  const result = applyJsonPatch(document, [
    { op: 'add', path: '/a/__proto__/c', value: 2 },
    { op: 'copy', from: '/a', path: '/__proto__' },
    { op: 'remove', path: '/a/__proto__/b' },
  ]);
  expect(JSON.stringify(result)).toBe('{"a":{"__proto__":{"c":2}},"__proto__":{"__proto__":{"b":1,"c":2}}}');
});
