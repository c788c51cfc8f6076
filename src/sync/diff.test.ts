import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './diff.ts';

test('a diff shows the changes with context', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  const after = ['a', 'b', 'c', 'd', 'e', 'F', 'g', 'h', 'i'];
  expect(diffLines(before, after)).toEqual(['  …', '  c', '  d', '  e', '- f', '+ F', '  g', '  h', '  i']);
  expect(diffLines([], ['a'])).toEqual(['+ a']);
  expect(diffLines(['a'], [])).toEqual(['- a']);
});

test('a diff is correct: its lines reproduce both texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(JSON.stringify(before) !== JSON.stringify(after));
      const lines = diffLines(before, after);
      // With at most seven lines no line is far enough from a change to be omitted.
      fc.pre(!lines.includes('  …'));
      const side = (mark: string) =>
        lines.filter((line) => line[0] === mark || line[0] === ' ').map((line) => line.slice(2));
      expect(side('-')).toEqual(before);
      expect(side('+')).toEqual(after);
    }),
  );
});

test('a diff of very different and very long texts terminates', () => {
  const lines = (mark: string) => Array.from({ length: 5_000 }, (_, i) => `${mark}${i}`);
  expect(diffLines(lines('a'), lines('b'))).toHaveLength(10_000);
});
