import { describe, expect, it } from 'vitest';
import { CelCompileError } from './errors.ts';
import { compile } from './program.ts';
import { dynType } from './types.ts';
import { CelError } from './values/values.ts';

const variables = new Map([['object', dynType]]);
/** Of CPU time: the clock on the wall counts what others do on a busy machine. */
const limitMs = 10_000;
const cpuMs = () => process.cpuUsage().user / 1000;

/** Evaluates in bounded time, to a value or to an error that is a value. */
function evaluate(expression: string, object: unknown = null): unknown {
  const start = cpuMs();
  const { value } = compile(expression, { variables }).evaluate([object]);
  expect(cpuMs() - start).toBeLessThan(limitMs);
  return value;
}

const costs = /cost limit exceeded/;
const many = Array.from({ length: 2000 }, (_, i) => i);
const long = 'a'.repeat(10_000_000);

describe('a hostile expression ends with an error that is a value', () => {
  it.each([
    ['loops in loops', 'object.all(a, object.all(b, object.all(c, a + b + c >= 0)))', many],
    [
      'loops in loops behind a depth that is no number',
      '[1].flatten(dyn(object)) == [1] || object.all(a, object.all(b, object.all(c, a + b + c >= 0)))',
      many,
    ],
    ['loops that build lists', 'object.map(a, object.map(b, object.map(c, [a, b, c])))', many],
    ['a long text compared in a loop', "object.list.all(x, object.text.contains('ab'))", { list: many, text: long }],
    ['a text that doubles', doubling("'aaaaaaaaaaaaaaaa'"), null],
    ['a list that doubles', doubling('[1, 2, 3, 4]'), null],
    ['a replacement that grows', "object.replace('a', object)", 'a'.repeat(100_000)],
    [
      'a text that repeats its argument',
      `'${'%s'.repeat(9_000)}'.format([${'object, '.repeat(8_999)}object])`,
      'a'.repeat(100_000),
    ],
    [
      'a long text searched in a loop',
      "object.list.all(x, !object.text.matches('(a*)*b'))",
      { list: many, text: 'a'.repeat(100_000) },
    ],
    ['big lists made distinct', 'object.distinct()', Array.from({ length: 50_000 }, (_, i) => i)],
    ['sets of big lists', 'sets.contains(object, object)', Array.from({ length: 50_000 }, (_, i) => i)],
    ['deep values compared in a loop', 'object.list.all(x, object.big == object.big)', { list: many, big: nested(14) }],
  ])('%s', (_, expression, object) => {
    expect(evaluate(expression, object)).toMatchObject({ message: expect.stringMatching(costs) });
  });

  it('catastrophic patterns are linear', () => {
    expect(evaluate("object.matches('(a+)+$')", `${'a'.repeat(50_000)}b`)).toBe(false);
  });

  it('a long range is refused', () => {
    expect(evaluate('lists.range(object)', 1_000_000_000)).toBeInstanceOf(CelError);
  });

  it('a document that is nested deeper than the stack is no exception', () => {
    let object: unknown = 1;
    for (let i = 0; i < 100_000; i++) object = [object];
    expect(evaluate('object == object', object)).toBeInstanceOf(CelError);
  });
});

describe('a hostile text is refused in bounded time', () => {
  it.each([
    ['brackets', '('.repeat(10_000)],
    ['lists', '['.repeat(10_000)],
    ['conditionals', 'true ? true : '.repeat(10_000)],
    ['selections', `object${'.a'.repeat(10_000)}`],
    ['sums', `1${' + 1'.repeat(10_000)}`],
    ['macros in macros', macros(200)],
    ['more than an expression may be long', ' '.repeat(100_001)],
    ['quotes', '"'.repeat(9_999)],
    ['signs', `${'@'.repeat(10_000)}`],
  ])('%s', (_, expression) => {
    const start = cpuMs();
    expect(() => compile(expression, { variables })).toThrow(CelCompileError);
    expect(cpuMs() - start).toBeLessThan(limitMs);
  });

  it('long chains of && are not deep', () => {
    const expression = Array.from({ length: 5000 }, () => 'true').join(' && ');
    expect(evaluate(expression)).toBe(true);
  });
});

/** Each variable is twice the one before it. */
function doubling(start: string): string {
  let expression = 'v24';
  for (let i = 24; i > 0; i--) expression = `optional.of(v${i - 1} + v${i - 1}).optMap(v${i}, ${expression})`;
  return `optional.of(${start}).optMap(v0, ${expression})`;
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1), nested(depth - 1)];
}

/** Each level copies the one before it. */
function macros(depth: number): string {
  let expression = 'optional.of(1)';
  for (let i = 0; i < depth; i++) expression += `.optMap(v${i}, v${i})`;
  return expression;
}
