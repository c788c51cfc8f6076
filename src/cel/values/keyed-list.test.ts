import { expect, it } from 'vitest';
import { compile } from '../program.ts';
import { dynType } from '../types.ts';
import { keyedList } from './keyed-list.ts';

const evaluate = (expression: string, a: unknown, b: unknown) =>
  compile(expression, {
    variables: new Map([
      ['a', dynType],
      ['b', dynType],
    ]),
  }).evaluate([a, b]).value;

it('compares a set regardless of its order', () => {
  expect(evaluate('a == b', keyedList(['x', 'y'], undefined), ['y', 'x'])).toBe(true);
  expect(evaluate('a == b', keyedList(['x', 'y'], undefined), ['y', 'z'])).toBe(false);
});

it('adds to a set what it does not have yet', () => {
  expect([...(evaluate('a + b', keyedList(['x', 'y'], undefined), ['y', 'z']) as unknown[])]).toEqual(['x', 'y', 'z']);
});

it('replaces elements of a map in their places', () => {
  const list = keyedList(
    [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
    ['name'],
  );
  const sum = evaluate('a + b', list, [
    { name: 'b', port: 3 },
    { name: 'c', port: 4 },
  ]);
  expect((sum as { name: string; port: number }[]).map(({ name, port }) => `${name}${port}`)).toEqual([
    'a1',
    'b3',
    'c4',
  ]);
  expect(evaluate('a.map(x, x.port) == b', list, [1, 2])).toBe(true);
});
