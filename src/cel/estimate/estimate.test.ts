import { expect, it } from 'vitest';
import { intType, listType, stringType, structType } from '../types.ts';
import { estimateCost } from './estimate.ts';

const self = structType('selfType', { list: listType(stringType), text: stringType, number: intType });
const variables = new Map([['self', self]]);
const sizes: Readonly<Record<string, number>> = { self: 0, list: 10, 'list.@items': 40, text: 100, number: 0 };
const most = (path: readonly string[]) => sizes[path.slice(1).join('.') || 'self'];
const cost = (expression: string) => estimateCost(expression, variables, most);

it('counts a loop once for every element that there can be', () => {
  const one = cost('self.list.all(x, x == "a")');
  const nested = cost('self.list.all(x, self.list.all(y, x == y))');
  expect(one).toBeGreaterThan(10);
  expect(nested).toBeGreaterThan(10 * one * 0.8);
});

it('goes by the longest text that there can be', () => {
  // Two for the field, a tenth of the text and one more, times a quarter of the pattern.
  expect(cost('self.text.matches("abcd")')).toBe(2 + 11);
  expect(cost('self.text.contains("abcdefghij")')).toBe(2 + 10);
  expect(cost('self.text + self.text == "x"')).toBe(4 + 20 + 1);
});

it('takes the dearer side of a choice, and both sides of a disjunction', () => {
  const text = 'self.text.matches("abcd")';
  expect(cost(`self.number > 1 ? ${text} : true`)).toBe(2 + 1 + 13);
  expect(cost(`${text} || ${text}`)).toBe(26);
});

it('has no bound for what nothing is known of', () => {
  expect(cost('string(self.number) + "a" == "b"')).toBeGreaterThan(1e18);
});
