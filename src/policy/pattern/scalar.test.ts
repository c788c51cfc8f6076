import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyError } from '../errors.ts';
import { matchScalar } from './scalar.ts';

type Row = readonly [value: unknown, pattern: unknown, expected: boolean];
const check = (rows: readonly Row[]) =>
  it.each(rows)('%s against %s gives %s', (value, pattern, expected) => {
    expect(matchScalar(value, pattern)).toBe(expected);
  });

describe('patterns that are no text', () => {
  check([
    [true, true, true],
    [false, true, false],
    ['true', true, false],
    [3, 3, true],
    [3n, 3, true],
    [2n ** 60n, 2n ** 60n, true],
    [3.5, 3, false],
    ['3', 3, true],
    ['3.0', 3, false],
    ['+3', 3, true],
    ['0x1p1', 2, false],
    ['1.50', 1.5, true],
    ['three', 3, false],
    [null, 3, false],
    [null, null, true],
    [undefined, null, true],
    ['', null, true],
    [0, null, true],
    [false, null, true],
    [{}, null, false],
    [[], null, false],
    ['x', null, false],
    [{ a: 1 }, {}, true],
    ['x', {}, false],
    [['a'], ['a'], false],
  ]);
});

describe('texts and wildcards', () => {
  check([
    ['nginx', 'nginx', true],
    ['nginx:1', 'nginx:*', true],
    ['nginx', '?ginx', true],
    ['', '', true],
    ['', '*', true],
    ['', '?*', false],
    [null, '*', false],
    [true, 'true', true],
    [true, 't*', true],
    [8080, '80*', true],
    [1.5, '1.5E+00', true],
    [['a'], '*', false],
    [{ a: 1 }, '*', false],
    ['a|b', 'a|b', true],
    ['b', ' a | b ', true],
    ['c', 'a|b', false],
    ['nginx:latest', '!*:latest', false],
    ['nginx:1', '!*:latest & !*:dev', true],
    ['nginx:dev', '!*:latest & !*:dev', false],
    [null, '!a', false],
    ['b', '! a', true],
    ['constructor', 'toString', false],
  ]);
});

describe('amounts', () => {
  check([
    ['1Gi', '1024Mi', true],
    ['512Mi', '<1Gi', true],
    ['1Gi', '<=1Gi', true],
    ['2Gi', '>1Gi', true],
    ['100m', '>=0.1', true],
    [5, '>4', true],
    [5, '<5', false],
    [5n, '>=5', true],
    [1.5, '1500m', true],
    [null, '0', true],
    [null, '>1', false],
    [true, '>0', false],
    ['abc', '>1', false],
    ['60m', '1h', true],
    ['90s', '>1m', true],
    ['30m', '!1h', true],
    ['5', '1-10', true],
    ['11', '1-10', false],
    ['11', '1!-10', true],
    ['5', '1!-10', false],
    ['-3', '-5-10', true],
    ['1Gi', '512Mi-2Gi', true],
    ['90m', '1h-2h', true],
    ['3h', '1h!-2h', true],
    ['10', '1-5 | >=10', true],
    ['7', '>=1 & <=5', false],
    ['a-b', 'a-b', true],
  ]);
});

describe('hostile input', () => {
  it('answers for fifty stars without backtracking', () => {
    const before = process.cpuUsage();
    expect(matchScalar('a'.repeat(5000), `${'*a'.repeat(50)}b`)).toBe(false);
    // In CPU time: what else the machine does is not in it.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });

  it('refuses a pair of texts that would take long', () => {
    const long = 'a'.repeat(100_000);
    expect(() => matchScalar(long, `*${long}b`)).toThrow(PolicyError);
  });

  it('takes a long run of digits for a text', () => {
    expect(matchScalar(`${'0'.repeat(1_000_000)}x`, '>1')).toBe(false);
  });

  it('gives an answer for any value and pattern and changes neither', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.oneof(fc.jsonValue(), fc.stringMatching(/^[!<>=0-9a-z*?|&. -]{0,12}$/)),
        (value, pattern) => {
          const before = JSON.stringify([value, pattern]);
          expect(typeof matchScalar(value, pattern)).toBe('boolean');
          expect(JSON.stringify([value, pattern])).toBe(before);
        },
      ),
    );
  });
});
