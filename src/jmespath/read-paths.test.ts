import { describe, expect, it } from 'vitest';
import type { Dialect } from './dialect.ts';
import { parse } from './parser.ts';
import { readPaths } from './read-paths.ts';

const pathsOf = (expression: string, dialect: Dialect = 'kyverno') =>
  readPaths(parse(expression, dialect))
    .map((path) => path.join('.'))
    .sort();

describe('what an expression reads', () => {
  it.each([
    ['a.b', ['a.b']],
    ['a."b"', ['a.b']],
    ['"a".b | c', ['a.b.c']],
    ['a | @.b', ['a.b']],
    ['@.a', ['a']],
    ['@', ['']],
    ['a.*', ['a.*']],
    ['*.b', ['*.b']],
    ['a[0].b', ['a.*.b']],
    ['a[].b', ['a.*.b']],
    ["a[?b == 'c'].d", ['a.*.b', 'a.*.d']],
    ['(a || b).c', ['a.c', 'b.c']],
    ['{x: a.b, y: c}.x', ['a.b', 'c']],
    ['[a, b][0].c', ['a', 'b']],
    ['to_string(a)', ['a']],
    ['map(&x.y, a.b)', ['a.b']],
    ['a.keys(@)', ['a']],
    ['a.[b, c]', ['a.b', 'a.c']],
    ['!a && b == `{"c": 1}`', ['a', 'b']],
    ["'a.b'", []],
    ['a.b.c.d.e.f', ['a.b.c.d']],
  ])('%s', (expression, expected) => expect(pathsOf(expression)).toEqual(expected));

  it('follows the root and variables of the community dialect', () => {
    expect(pathsOf('map(&$.b, a)', 'community')).toEqual(['a', 'b']);
    expect(pathsOf('let $x = a.b in $x.c', 'community')).toEqual(['a.b']);
  });

  it('may be anything where the paths of an expression multiply', () => {
    const choice = (names: string) => `(${[...names].join(' || ')})`;
    const letters = 'abcdefghijklmnop';
    expect(pathsOf(Array.from({ length: 50 }, () => choice(letters)).join(' | '))).toContain('*');
  });
});
