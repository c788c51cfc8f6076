import { describe, expect, it } from 'vitest';
import { sorted, toOracleForm } from '../../test/support/cel-answer.ts';
import { answers, document } from './cases/answers.ts';
import { CelCompileError } from './errors.ts';
import { compile } from './program.ts';
import { boolType, dynType, intType, listType, stringType, structType } from './types.ts';
import { CelError, CelUnknown, LazyMap } from './values/values.ts';

const variables = new Map([['object', dynType]]);

function answer(expression: string): unknown {
  try {
    const { value, cost } = compile(expression, { variables }).evaluate([document]);
    return { ...toOracleForm(value), cost };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    return { compile: thrown.message, cost: 0 };
  }
}

describe('an expression', () => {
  it.each(answers.map((each) => [each.expression, each] as const))('%s', (expression, { expression: _, ...wanted }) => {
    expect(sorted(answer(expression))).toEqual(wanted);
  });
});

describe('a program', () => {
  it('tells the type of its value', () => {
    expect(compile('[1].map(x, x > 0)').type).toEqual(listType(boolType));
  });

  it('knows which inputs it reads, wherever in the expression', () => {
    const variables = new Map(['a', 'b', 'c', 'd'].map((name) => [name, dynType]));
    const readsOf = (expression: string) => [...compile(expression, { variables }).reads].sort();
    expect(readsOf('1 + 2')).toEqual([]);
    expect(readsOf('d.b == a')).toEqual([0, 3]);
    expect(readsOf('[1].all(b, b > c)')).toEqual([2]);
    expect(readsOf('a.?x.orValue(b)[c] == 1 || has(d.x)')).toEqual([0, 1, 2, 3]);
  });

  it('reads its inputs in the order of the variables', () => {
    const program = compile('b - a', {
      variables: new Map([
        ['a', intType],
        ['b', intType],
      ]),
    });
    expect(program.evaluate([1, 5]).value).toBe(4);
  });

  it('says which variable has no value', () => {
    const { value } = compile('object', { variables }).evaluate([undefined]);
    expect(value).toMatchObject({ message: 'no such attribute(s): object' });
  });

  it('knows the fields of a struct', () => {
    const typed = new Map([['request', structType('Request', { name: stringType })]]);
    expect(compile("request.name == 'a'", { variables: typed }).evaluate([{ name: 'a' }]).value).toBe(true);
    expect(() => compile('request.other', { variables: typed })).toThrow("undefined field 'other'");
  });

  it('evaluates what is selected from once, whatever kind of map it is', () => {
    const { value, cost } = compile("['a', 'b'].transformMap(i, v, 0).?map.orValue(1)").evaluate([]);
    expect({ value, cost }).toEqual({ value: 1, cost: 8 });
  });

  it('does not take inherited members for fields', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(compile(`has(object.${name})`, { variables }).evaluate([{}]).value).toBe(false);
      expect(compile(`object.${name}`, { variables }).evaluate([{}]).value).toBeInstanceOf(CelError);
    }
    const own = JSON.parse('{"__proto__": 1, "constructor": 2}');
    expect(compile('object.__proto__ + object.constructor', { variables }).evaluate([own]).value).toBe(3);
  });

  it('does not show the inside of values as fields', () => {
    expect(compile("dyn(duration('1s')).nanos", {}).evaluate([]).value).toBeInstanceOf(CelError);
    expect(compile('dyn(1u).value', {}).evaluate([]).value).toBeInstanceOf(CelError);
  });

  it('works lazy fields out only when they are selected', () => {
    const asked: string[] = [];
    class Lazy extends LazyMap {
      get(key: string) {
        asked.push(key);
        return key === 'bad' ? new CelError('failed') : 1;
      }
      keys() {
        return ['a', 'b', 'bad'];
      }
    }
    expect(compile('object.a == 1 || object.b == 1', { variables }).evaluate([new Lazy()]).value).toBe(true);
    expect(asked).toEqual(['a']);
    expect(compile('object.bad', { variables }).evaluate([new Lazy()]).value).toMatchObject({ message: 'failed' });
  });
});

describe('an unknown', () => {
  const two = new Map([
    ['a', dynType],
    ['b', dynType],
  ]);
  const evaluate = (expression: string, a: unknown, b: unknown) =>
    compile(expression, { variables: two }).evaluate([a, b]).value;
  const first = new CelUnknown(['first']);
  const second = new CelUnknown(['second']);

  it('is absorbed by what decides', () => {
    expect(evaluate('a || b', first, true)).toBe(true);
    expect(evaluate('a && b', first, false)).toBe(false);
  });

  it('is asked for together with others', () => {
    expect(evaluate('a && b', first, second)).toMatchObject({ needs: ['first', 'second'] });
    expect(evaluate('a == b', first, second)).toMatchObject({ needs: ['first', 'second'] });
    expect(evaluate('[a, b]', first, second)).toMatchObject({ needs: ['first', 'second'] });
    expect(evaluate("{'x': a, 'y': b}", first, second)).toMatchObject({ needs: ['first', 'second'] });
  });

  it('never passes for an error', () => {
    expect(evaluate('a || b', first, new CelError('failed'))).toBe(first);
    expect(evaluate('a.x.y', first, 1)).toBe(first);
    expect(evaluate('size(a)', first, 1)).toBe(first);
    expect(evaluate('[1, 2].map(x, a)', first, 1)).toMatchObject({ needs: ['first'] });
    expect(evaluate('a ? 1 : 2', first, 1)).toBe(first);
  });
});
