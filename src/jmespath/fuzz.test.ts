import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { communityFunctions, compile, JmespathError } from './index.ts';

const texts = fc.constantFrom(
  '',
  'a',
  'é😀',
  '1',
  '-1.5',
  '1Gi',
  '1h30m',
  '5m',
  '2024-05-06T07:08:09Z',
  '2006-01-02',
  'Jan _2',
  '[a-z]{3}',
  '(',
  '*?',
  '$1$x',
  '1.2.3',
  '>=1.x',
  'nginx:1@sha256:',
  'http://[::1]/',
  'YQ==',
  '{"a":1}',
  'a: [1]',
  '__proto__',
  '\ud800',
  '\0',
  '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----',
);
const numbers = fc.oneof(fc.double(), fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }));
const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    numbers,
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const env = {
  clock: { now: () => 1.7e12 },
  random: () => 0.7,
  resolveHost: () => ['fe80::1%eth0', 'nonsense'],
  steps: 200_000,
};

function onlyOwnErrors(run: () => unknown): void {
  try {
    run();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(JmespathError);
    const error = thrown as JmespathError;
    expect(error.offset).toBeGreaterThanOrEqual(0);
    expect(error.offset).toBeLessThanOrEqual(error.expression.length);
    expect(error.caret()).toContain('^');
  }
}

describe('whatever is thrown at it', () => {
  it('a text is compiled or refused with a place', () => {
    const pieces = fc.constantFrom(
      'a',
      '"b"',
      "'c'",
      '`1`',
      '.',
      '*',
      '[',
      ']',
      '[]',
      '[?',
      '{',
      '}',
      '(',
      ')',
      ',',
      ':',
      '|',
      '||',
      '&&',
      '!',
      '==',
      '<',
      '@',
      '&',
      '-',
      '0',
      '\\',
      '`',
      "'",
      '"',
      ' ',
      '\n',
      '=',
      '#',
      'é',
      'length(',
      'sort_by(',
      'let ',
      ' in ',
      '$a',
      '$',
      '+',
      '/',
      '%',
    );
    const dialects = fc.constantFrom('kyverno' as const, 'community' as const);
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), values, dialects, (parts, data, dialect) => {
        onlyOwnErrors(() => compile(parts.join(''), { checkCalls: 'evaluate', dialect }).evaluate(data, env));
      }),
      { numRuns: 4000 },
    );
  });

  it.each([...communityFunctions.keys()])('%s answers or refuses any arguments', (name) => {
    const reference = name.endsWith('_by') ? ['l, &a', 'l, &@', 'a, &a'] : name === 'map' ? ['&a, l', '&@, l'] : [];
    const shapes = ['', 'a', 'a, b', 'a, b, c', 'a, b, c, d', ...reference];
    const programs = shapes.map((args) =>
      compile(`${name}(${args})`, { checkCalls: 'evaluate', dialect: 'community' }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...programs),
        fc.array(values, { maxLength: 4 }),
        fc.array(values),
        (program, args, l) => {
          const [a = null, b = null, c = null, d = null] = args;
          onlyOwnErrors(() => program.evaluate({ a, b, c, d, l }, env));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('the same data and environment give the same result', () => {
    fc.assert(
      fc.property(values, (a) => {
        const program = compile("[a, to_string(a), type(a), keys(to_array(a)[0] || `{}`), random('[a-z]{4}')]", {});
        const once = () => {
          try {
            return program.evaluate({ a }, env);
          } catch (thrown) {
            return (thrown as JmespathError).message;
          }
        };
        expect(once()).toEqual(once());
      }),
      { numRuns: 300 },
    );
  });
});
