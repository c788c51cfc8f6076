import { describe, expect, it } from 'vitest';
import { orderedKeys, parseNotation } from './notation.ts';

describe('a key or a text', () => {
  const plain = { isExpression: false, language: '' };
  const expression = { isExpression: true, language: '' };
  it.each([
    ['spec', { ...plain, statement: 'spec' }],
    ['(spec.a)', { ...expression, statement: 'spec.a' }],
    ['(jp:spec.a)', { ...expression, language: 'jp', statement: 'spec.a' }],
    ['(cel: spec.a)', { ...expression, language: 'cel', statement: ' spec.a' }],
    ['~.containers', { ...plain, statement: 'containers', each: {} }],
    ['~index.containers', { ...plain, statement: 'containers', each: { index: 'index' } }],
    ['~.(keys(@))', { ...expression, statement: 'keys(@)', each: {} }],
    ['spec->it', { ...plain, statement: 'spec', binding: 'it' }],
    ['(spec)->it', { ...expression, statement: 'spec', binding: 'it' }],
    ['~i.(list)->it', { ...expression, statement: 'list', each: { index: 'i' }, binding: 'it' }],
    ['\\(not an expression)\\', { ...plain, statement: '(not an expression)' }],
    ['~.\\(odd)\\->it', { ...plain, statement: '(odd)', each: {}, binding: 'it' }],
    // A space before the arrow belongs to the key, which is then no longer in brackets from end to end.
    ['(spec) -> it', { ...plain, statement: '(spec) ', binding: 'it' }],
    ['~containers', { ...plain, statement: '~containers' }],
    ['()', { ...plain, statement: '()' }],
    ['(a\nb)', { ...plain, statement: '(a\nb)' }],
  ])('%s', (text, notation) => expect(parseNotation(text)).toEqual(notation));

  it.each(['', '~.', '~i.', '->x'])('%j stands for itself', (text) => expect(parseNotation(text)).toBeUndefined());
});

it('judges keys that give names first, and all in the same order wherever they come from', () => {
  const keys = ['z', 'b->late', '(a)', 'a->early', '~.c'];
  const orders = [keys, keys.toReversed()].map((each) => orderedKeys(Object.fromEntries(each.map((key) => [key, 1]))));
  expect(orders[0]).toEqual(['a->early', 'b->late', '(a)', 'z', '~.c']);
  expect(orders[1]).toEqual(orders[0]);
});
