import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyError } from '../errors.ts';
import { evaluateOperator } from './evaluate.ts';
import { conditionOperators, parseOperator } from './operator.ts';

type Row = readonly [key: unknown, operator: string, value: unknown, expected: boolean];
const check = (rows: readonly Row[]) =>
  it.each(rows)('%s %s %s is %s', (key, operator, value, expected) => {
    expect(evaluateOperator(operator, key, value)).toBe(expected);
  });

describe('Equals and NotEquals', () => {
  const rows: readonly (readonly [unknown, unknown, boolean])[] = [
    [true, true, true],
    [true, 'true', false],
    [5, 5, true],
    [5, '5', true],
    [5, '5.0', true],
    [5, 'five', false],
    [5, null, false],
    [2n ** 60n, 2n ** 60n, true],
    [2n ** 60n, String(2n ** 60n), true],
    [5.5, '5.5', true],
    ['a', 'a', true],
    ['abc', 'a*', true],
    ['a*', 'abc', false],
    ['', '', true],
    ['1Gi', '1024Mi', true],
    ['1Gi', 'x', false],
    ['5', 5, false],
    ['1h', '60m', true],
    ['1h', 3600, true],
    ['3600', '1h', false],
    ['0', '0s', false],
    ['x', ['x'], false],
    [['a', 'b'], ['a', 'b'], true],
    [['a', 'b'], ['b', 'a'], false],
    [{ a: 1 }, { a: 1 }, true],
    [{ a: 1 }, [], false],
    [{}, [], false],
  ];
  check(rows.map(([key, value, expected]) => [key, 'Equals', value, expected]));
  check(rows.map(([key, value, expected]) => [key, 'NotEquals', value, !expected]));
  check([
    [null, 'Equals', null, false],
    [null, 'NotEquals', 'a', false],
    ['5', 'NotEquals', '', true],
    [5, 'equal', 5, true],
    [5, 'NOTEQUAL', 5, false],
  ]);
});

describe('membership of one key', () => {
  const rows: readonly (readonly [unknown, unknown, boolean])[] = [
    ['a', ['a', 'b'], true],
    ['c', ['a', 'b'], false],
    ['abc', ['a*'], true],
    ['a*', ['abc'], true],
    [5, ['5'], true],
    [5, [5], true],
    [5000000, [5000000], true],
    [true, ['true'], true],
    ['a', 'a', true],
    ['abc', 'a*', true],
    ['a', '["a","b"]', true],
    ['c', '["a","b"]', false],
    ['a', 'null', false],
  ];
  for (const operator of ['In', 'AnyIn', 'AllIn']) {
    check(rows.map(([key, value, expected]) => [key, operator, value, expected]));
  }
  for (const operator of ['NotIn', 'AnyNotIn', 'AllNotIn']) {
    check(rows.map(([key, value, expected]) => [key, operator, value, !expected]));
    check([
      ['a', operator, 5, false],
      ['a', operator, null, false],
      [null, operator, ['a'], false],
      [{}, operator, ['a'], false],
      ['a', operator, '[1]', false],
    ]);
  }
  check([
    ['5', 'AnyIn', '1-10', true],
    ['11', 'AllIn', '1-10', false],
    ['11', 'AnyNotIn', '1-10', true],
    [90, 'AllNotIn', '1-10', true],
    ['5', 'In', '1-10', false],
    ['a', 'AnyNotIn', 'b', true],
    ['a', 'NotIn', 'b', false],
  ]);
});

describe('membership of several keys', () => {
  check([
    [['a', 'c'], 'AnyIn', ['a', 'b'], true],
    [['a', 'c'], 'AllIn', ['a', 'b'], false],
    [['a', 'c'], 'AnyNotIn', ['a', 'b'], true],
    [['a', 'c'], 'AllNotIn', ['a', 'b'], false],
    [['c', 'd'], 'AllNotIn', ['a', 'b'], true],
    [['a', 'b'], 'AllIn', ['*'], true],
    [['a*'], 'AnyIn', ['abc'], true],
    [[1, true, null], 'AllIn', ['1', 'true', '<nil>'], true],
    [[], 'AnyIn', ['a'], false],
    [[], 'AllIn', ['a'], true],
    [[], 'AnyNotIn', ['a'], false],
    [[], 'AllNotIn', ['a'], true],
    [['a'], 'AnyIn', '["a"]', true],
    [['a', 'b'], 'AllIn', '["a"]', false],
    [['a'], 'AnyIn', 'a', true],
    [['a'], 'AnyNotIn', 'a', false],
    [[5], 'AnyIn', 5, true],
    [[5], 'AllIn', 5, false],
    [['a'], 'AnyIn', '{"a":1}', false],
    [[1, 20], 'AnyIn', '1-10', true],
    [[1, 20], 'AllIn', '1-10', false],
    [[1, 20], 'AnyNotIn', '1-10', true],
    [[1, 2], 'AnyNotIn', '1-10', false],
    [[11, 20], 'AllNotIn', '1-10', true],
    [[1, 20], 'AllNotIn', '1-10', false],
    [['a'], 'In', ['a', 'b'], true],
    [['a', 'c'], 'In', ['a', 'b'], false],
    [['a', 'c'], 'NotIn', ['a', 'b'], true],
    [['a'], 'NotIn', ['a', 'b'], false],
    [['a*'], 'In', ['abc'], false],
    [['a'], 'In', ['a', 5], false],
    [['a'], 'NotIn', 'a', true],
  ]);

  it('refuses other things than texts in the old forms', () => {
    expect(() => evaluateOperator('In', [1], ['1'])).toThrow(PolicyError);
    expect(() => evaluateOperator('NotIn', [null], ['1'])).toThrow(PolicyError);
  });
});

describe('order', () => {
  const greater: readonly (readonly [unknown, unknown])[] = [
    [2, 1],
    [2n ** 60n, 5],
    [1.5, '1.25'],
    ['2', 1],
    ['2', '1'],
    ['1Gi', '512Mi'],
    ['2h', '90m'],
    ['2h', 60],
    [7200, '1h'],
    ['1.2.4', '1.2.3'],
    ['1.2.3', '1.2.3-rc.1'],
    ['1.2.3-rc.10', '1.2.3-rc.9'],
    ['1.2.3-rc', '1.2.3-1'],
  ];
  const equal: readonly (readonly [unknown, unknown])[] = [
    [1, '1.0'],
    ['1h', '60m'],
    ['1Gi', '1024Mi'],
    ['1.2.3+a', '1.2.3+b'],
  ];
  const unordered: readonly (readonly [unknown, unknown])[] = [
    ['a', 'b'],
    [1, 'b'],
    [null, 1],
    [1, null],
    [true, false],
    [[2], [1]],
    ['v1.2.4', 'v1.2.3'],
    ['1.2.4', 1],
    [1, 'nan'],
  ];
  check(
    greater.flatMap(([a, b]): Row[] => [
      [a, 'GreaterThan', b, true],
      [a, 'GreaterThanOrEquals', b, true],
      [a, 'LessThan', b, false],
      [a, 'LessThanOrEquals', b, false],
    ]),
  );
  check(
    equal.flatMap(([a, b]): Row[] => [
      [a, 'GreaterThan', b, false],
      [a, 'GreaterThanOrEquals', b, true],
      [a, 'LessThan', b, false],
      [a, 'LessThanOrEquals', b, true],
    ]),
  );
  check(
    unordered.flatMap(([a, b]): Row[] => [
      [a, 'GreaterThan', b, false],
      [a, 'GreaterThanOrEquals', b, false],
      [a, 'LessThan', b, false],
      [a, 'LessThanOrEquals', b, false],
    ]),
  );
  check([
    ['2h', 'DurationGreaterThan', '1h', true],
    ['1h', 'DurationGreaterThanOrEquals', 3600, true],
    [60, 'DurationLessThan', '2m', true],
    [60.9, 'DurationLessThanOrEquals', '1m', true],
    [120, 'DurationGreaterThan', 60, true],
    ['1', 'DurationGreaterThan', '0', false],
    ['1h', 'DurationLessThan', null, false],
    ['1s', 'durationgreaterthan', '0', true],
  ]);
});

describe('operators', () => {
  it('are read in any case', () => {
    for (const name of conditionOperators) expect(parseOperator(name.toUpperCase())).toBe(name);
    expect(parseOperator('constructor')).toBeUndefined();
  });

  it('that do not exist are an error', () => {
    expect(() => evaluateOperator('Matches', 'a', 'a')).toThrow(PolicyError);
  });

  it('answer for any operands, throw nothing but PolicyError and change nothing', () => {
    const text = fc.stringMatching(/^[0-9a-zA-Z*?.,"[\]! -]{0,10}$/);
    const operand = fc.oneof(fc.jsonValue(), text, fc.array(text, { maxLength: 4 }));
    fc.assert(
      fc.property(fc.constantFrom(...conditionOperators), operand, operand, (operator, key, value) => {
        const before = JSON.stringify([key, value]);
        try {
          expect(typeof evaluateOperator(operator, key, value)).toBe('boolean');
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(PolicyError);
        }
        expect(JSON.stringify([key, value])).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('refuse lists whose comparison would take long', () => {
    const many = Array.from({ length: 5000 }, (_, i) => `*${i}*`);
    expect(() =>
      evaluateOperator(
        'AnyIn',
        many,
        many.map((text) => `${text}x`),
      ),
    ).toThrow(PolicyError);
  });
});
