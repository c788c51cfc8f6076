import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeFieldValue, parseFieldSelector } from './field-selector.ts';

const pod: Record<string, string> = { 'metadata.name': 'a', 'spec.nodeName': 'n1', 'status.phase': 'Running' };
const get = (path: string) => pod[path];

test.each([
  ['', true],
  ['metadata.name=a', true],
  ['metadata.name==a,status.phase!=Failed', true],
  ['metadata.name!=a', false],
  ['metadata.name=a,', true],
  ['status.reason=', true],
  ['status.reason!=', false],
])('%j matches the pod: %j', (text, expected) => {
  expect(parseFieldSelector(text).matches(get)).toBe(expected);
});

test('exposes its requirements', () => {
  expect(parseFieldSelector('a.b=c,d!=e').requirements).toEqual([
    { path: 'a.b', op: '=', value: 'c' },
    { path: 'd', op: '!=', value: 'e' },
  ]);
});

test.each([
  ['a', "invalid selector: 'a'; can't understand 'a'"],
  ['a=b=c', 'unescaped character in value: 61'],
  ['a=b\\c', 'invalid escape sequence: \\c'],
  ['a=b\\', 'invalid escape sequence: \\'],
])('rejects %j', (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(message);
});

test('an escaped value parses to the same value', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const { requirements } = parseFieldSelector(`x=${escapeFieldValue(value)}`);
      expect(requirements).toEqual([{ path: 'x', op: '=', value }]);
    }),
  );
});
