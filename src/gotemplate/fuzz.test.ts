import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allCases } from './cases/index.ts';
import { TemplateError } from './errors.ts';
import { compile } from './program.ts';

const limits = { steps: 20_000, output: 100_000, depth: 20 };

function attempt(template: string, data: unknown): void {
  try {
    expect(typeof compile(template, { name: 'f' }).render(data, { limits })).toBe('string');
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    expect(thrown.message).toMatch(/^template: /);
  }
}

test('no text and no data make anything but a text or a TemplateError', () => {
  const pieces = [
    '{{',
    '}}',
    '{{- ',
    ' -}}',
    '.',
    '.a',
    '$x',
    ':=',
    '=',
    '|',
    '(',
    ')',
    '"',
    '`',
    "'",
    '\\',
    '/*',
    '*/',
  ];
  const words = [
    'if',
    'else',
    'end',
    'range',
    'with',
    'define',
    'template',
    'break',
    'nil',
    'len',
    'printf',
    '1',
    '1.5e',
    '\n',
    ' ',
    '%',
    '\u00e9',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces, ...words), fc.string({ maxLength: 3 })), { maxLength: 30 });
  fc.assert(
    fc.property(text, fc.jsonValue(), (parts, data) => attempt(parts.join(''), data)),
    { numRuns: 2000, seed: 7 },
  );
});

test('a template of the cases, with one character gone or changed, still fails in order', () => {
  const template = fc.constantFrom(...allCases.map((item) => item.template).filter((known) => known.length > 0));
  fc.assert(
    fc.property(template, fc.nat(), fc.constantFrom('', '}', '{', '"', ' ', '.', '$', '-', '9'), (known, at, fresh) => {
      const index = at % known.length;
      attempt(known.slice(0, index) + fresh + known.slice(index + 1), { name: 'x', list: [1, 'a'], map: { a: 1 } });
    }),
    { numRuns: 2000, seed: 11 },
  );
});
