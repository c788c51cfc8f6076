import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../testing/freeze.ts';
import { applyJson6902, parseJson6902 } from './index.ts';

function patched(patch: string, object: unknown) {
  const parsed = parseJson6902(patch);
  if (parsed.kind === 'error') return 'unreadable';
  const outcome = applyJson6902(parsed.operations, deepFreeze(object));
  return outcome.kind === 'patched' ? outcome.resource : outcome.kind;
}

describe('operations', () => {
  it.each([
    ['adds a field', '- {op: add, path: /a, value: 1}', {}, { a: 1 }],
    [
      'adds in the middle and at the end of a list',
      '[{"op":"add","path":"/l/1","value":"x"},{"op":"add","path":"/l/-","value":"y"}]',
      { l: [1, 2] },
      { l: [1, 'x', 2, 'y'] },
    ],
    ['adds what leads to a field', '- {op: add, path: /a/b/c, value: 1}', {}, { a: { b: { c: 1 } } }],
    ['adds a list before a number', '- {op: add, path: /a/0/b, value: 1}', {}, { a: [{ b: 1 }] }],
    ['replaces', '- {op: replace, path: /a/b, value: 2}', { a: { b: 1 } }, { a: { b: 2 } }],
    ['replaces from the end', '- {op: replace, path: /l/-1, value: 9}', { l: [1, 2] }, { l: [1, 9] }],
    ['removes', '- {op: remove, path: /a}', { a: 1, b: 2 }, { b: 2 }],
    ['removes an element', '- {op: remove, path: /l/0}', { l: [1, 2] }, { l: [2] }],
    ['moves', '- {op: move, from: /a, path: /b}', { a: 1 }, { b: 1 }],
    ['copies', '- {op: copy, from: /a, path: /b}', { a: [1] }, { a: [1], b: [1] }],
    [
      'tests and goes on',
      '- {op: test, path: /a, value: 1}\n- {op: add, path: /b, value: 2}',
      { a: 1 },
      { a: 1, b: 2 },
    ],
    ['reads escaped keys', '- {op: replace, path: /a~1b~0c, value: 2}', { 'a/b~c': 1 }, { 'a/b~c': 2 }],
    ['writes null', '- {op: add, path: /a, value: null}', {}, { a: null }],
  ])('%s', (_, patch, object, expected) => expect(patched(patch, object)).toEqual(expected));

  it.each([
    ['a test that fails', '- {op: test, path: /a, value: 2}', { a: 1 }],
    ['a replacement of nothing', '- {op: replace, path: /b, value: 2}', { a: 1 }],
    ['a move from nowhere', '- {op: move, from: /b, path: /c}', { a: 1 }],
    ['an index far beyond the end', '- {op: add, path: /l/99999999, value: 1}', { l: [] }],
    ['a key that is no number in a list', '- {op: add, path: /l/x, value: 1}', { l: [1] }],
  ])('%s is an error', (_, patch, object) => expect(patched(patch, object)).toBe('error'));

  it('that remove what is not there, or change nothing, are skipped', () => {
    expect(patched('- {op: remove, path: /b}', { a: 1 })).toBe('skip');
    expect(patched('- {op: add, path: /a, value: 1}', { a: 1 })).toBe('skip');
  });

  it('that cannot be read are refused', () => expect(patched('{op: add}', {})).toBe('unreadable'));
});
