import * as reference from '@jmespath-community/jmespath';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, missing } from './index.ts';

/**
 * The dialects differ in known places, which the generators leave out: functions that fail on the left of a filter,
 * multi-selects on null (null here, a list of nulls there), slices of strings, comparisons of strings by order, and text made from objects. An unknown key at the top is null
 * in the reference.
 */
const keys = ['a', 'b', 'c', 'x-y'];
const documents = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -2.5, '', 'a', 'é'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const names = fc.constantFrom('a', 'b', 'c', '"x-y"', '"b"');
const literals = fc.constantFrom("'a'", "''", '`1`', '`null`', '`[1, [2]]`', '`{"a": {"b": 1}}`', '`false`', '@');
const expressions = fc.letrec<{ any: string; pair: [string, string] }>((tie) => ({
  pair: fc.tuple(tie('any'), tie('any')),
  any: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    names,
    literals,
    tie('pair').map(([a, b]) => `${a} | ${b}`),
    tie('pair').map(([a, b]) => `${a} || ${b}`),
    tie('pair').map(([a, b]) => `${a} && ${b}`),
    tie('pair').map(([a, b]) => `${a} == ${b}`),
    tie('pair').map(([a, b]) => `${a} != ${b}`),
    tie('pair').map(([a, b]) => `(${a}) < length(to_array(${b}))`),
    tie('pair').map(([a, b]) => `(@ && [${a}, ${b}])`),
    tie('pair').map(([a, b]) => `(@ && {p: ${a}, "q r": ${b}})`),
    tie('pair').map(([a, b]) => `(${a})[?${b}]`),
    tie('pair').map(([a, b]) => `map(&${a}, to_array(${b}))`),
    tie('pair').map(([a, b]) => `not_null(${a}, ${b})`),
    fc.tuple(tie('any'), names).map(([a, name]) => `(${a}).${name}`),
    fc.tuple(tie('any'), names).map(([a, name]) => `(${a})[*].${name}`),
    fc.tuple(tie('any'), names).map(([a, name]) => `(${a}).*.${name}`),
    fc.tuple(names, names, names).map((chain) => chain.join('.')),
    fc.tuple(names, names).map(([a, b]) => `${a}.${b}[*].${a}`),
    fc.tuple(tie('any'), fc.integer({ min: -4, max: 4 })).map(([a, i]) => `(${a})[${i}]`),
    fc
      .tuple(tie('any'), fc.integer({ min: -4, max: 4 }), fc.constantFrom('', ':1', ':-1', ':2'))
      .map(([a, i, step]) => `to_array(${a})[${i}:${step}]`),
    tie('any').map((a) => `(${a})[]`),
    tie('any').map((a) => `!(${a})`),
    tie('any').map((a) => `type(${a})`),
    tie('any').map((a) => `reverse(to_array(${a}))`),
  ),
}));

/**
 * What only the community's dialect has. Sums of what is no number are null here and an error there; the
 * reference loses a variable that is bound again inside its own value, and says so.
 */
const number = (expression: string) => `length(to_array(${expression}))`;
const communityExpressions = fc.letrec<{ any: string; pair: [string, string] }>((tie) => ({
  pair: fc.tuple(tie('any'), tie('any')),
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    names,
    literals,
    fc.constantFrom('$', '$.a'),
    tie('pair').map(([a, b]) => `let $v = ${a} in [$v, ${b}]`),
    tie('pair').map(([a, b]) => `let $v = ${a}, $w = ${b} in {v: $v, w: $w, here: @}`),
    tie('pair').map(([a, b]) => `(let $v = ${a} in map(&[@, $v], to_array(${b})))`),
    tie('pair').map(([a, b]) => `(${a}) | [${b}, $]`),
    tie('pair').map(([a, b]) => `[${a}, ${b}]`),
    tie('pair').map(([a, b]) => `${number(a)} + ${number(b)}`),
    tie('pair').map(([a, b]) => `${number(a)} - ${number(b)} × ${number(a)}`),
    tie('pair').map(([a, b]) => `(${number(a)} - ${number(b)}) * ${number(a)}`),
    tie('pair').map(([a, b]) => `zip(to_array(${a}), to_array(${b}))`),
    fc.tuple(tie('any'), names).map(([a, name]) => `group_by(to_array(${a}) || [@], &type(${name}))`),
    tie('pair').map(([a, b]) => `from_items([['k', ${a}], ['l', ${b}]])`),
    tie('pair').map(([a, b]) => `find_first(type(${a}), type(${b}))`),
    tie('pair').map(([a, b]) => `find_last(type(${a}), type(${b}))`),
    tie('any').map((a) => `-${number(a)}`),
    tie('any').map((a) => `type(${a})[1:3]`),
    tie('any').map((a) => `type(${a})[::-1]`),
    tie('any').map((a) => `upper(type(${a}))`),
    tie('any').map((a) => `pad_left(type(${a}), \`9\`, '-')`),
    tie('any').map((a) => `trim_right(type(${a}), 'lr')`),
  ),
}));

describe('against an independent implementation', () => {
  it("any expression of the community's language gives the same value on any document", () => {
    const agree = fc.property(communityExpressions.any, documents, (expression, document) => {
      const found = compile(expression, { dialect: 'community' }).evaluate(document);
      expect(found).toEqual(searched(document, expression));
    });
    fc.assert(agree, { numRuns: 1500, maxSkipsPerRun: 2 });
  });

  it('any expression of the common language gives the same value on any document', () => {
    const agree = fc.property(expressions.any, documents, (expression, document) => {
      const found = compile(expression).find(document);
      expect(found === missing ? null : found).toEqual(reference.search(document as never, expression));
    });
    fc.assert(agree, { numRuns: 1500 });
  });

  it('what one parser refuses the other refuses', () => {
    const pieces = [
      'a',
      '.',
      '[',
      ']',
      '*',
      '[0]',
      '[?',
      '|',
      '||',
      '&&',
      '!',
      '(',
      ')',
      '`1`',
      "'x'",
      '{',
      '}',
      ':',
      '==',
    ];
    const agree = fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 7 }), (parts) => {
      const text = parts.join('');
      // Extensions of the reference: slices by expression, a ternary, and arithmetic with a star.
      fc.pre(!/\*|\[:|:\]|::|\?/.test(text.replaceAll('[?', '')));
      // It knows no functions while compiling, and reads two operands without anything between them.
      fc.pre(!/a\(|[`'\])a][`'a]/.test(text));
      expect(isAccepted(() => compile(text))).toBe(isAccepted(() => reference.compile(text)));
    });
    fc.assert(agree, { numRuns: 1500 });
  });
});

function searched(document: unknown, expression: string): unknown {
  try {
    return reference.search(document as never, expression);
  } catch (thrown) {
    fc.pre(!(thrown as Error).message.includes('undefined variable'));
    throw thrown;
  }
}

function isAccepted(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
