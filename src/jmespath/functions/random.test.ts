import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { compile } from '../index.ts';

const atoms = fc.constantFrom(
  'a',
  '[a-z]',
  '[^a-z]',
  '\\d',
  '\\W',
  '.',
  '[[:upper:]_-]',
  '\\.',
  '[\\]x]',
  '\\x41',
  'é',
  '(?:x|yz)',
  '[^\\x20-\\x7e]',
);
const repeats = fc.constantFrom('', '', '?', '*', '+', '{3}', '{2,}', '{1,4}', '{0,2}?');
const patterns = fc
  .array(fc.tuple(atoms, repeats), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([atom, repeat]) => atom + repeat).join(''))
  .chain((one) => fc.constantFrom(one, `(${one})|b`, `^(?P<n>${one})$`, `(${one}){2}`));

describe('random', () => {
  it('gives a text that the pattern matches whole', () => {
    const program = compile('random(@)');
    fc.assert(
      fc.property(
        patterns,
        fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (pattern, stream) => {
          const text = program.evaluate(pattern, { random: () => stream.next().value as number }) as string;
          expect(RE2JS.compile(`^(?:${pattern})$`).matcher(text).find()).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('gives the same text for the same numbers, and others for others', () => {
    const draw = (n: number) => compile("random('[a-z]{12}')").evaluate(null, { random: () => n });
    expect(draw(0.25)).toBe(draw(0.25));
    expect(draw(0.25)).not.toBe(draw(0.75));
  });
});
