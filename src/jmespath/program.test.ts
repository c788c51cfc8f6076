import { describe, expect, it } from 'vitest';
import { compile, JmespathError, missing, Scope } from './index.ts';

class Layers extends Scope {
  readonly asked: string[] = [];
  constructor(private readonly layers: readonly Record<string, unknown>[]) {
    super();
  }
  get(key: string): unknown {
    this.asked.push(key);
    for (const layer of this.layers) if (Object.hasOwn(layer, key)) return layer[key];
    return missing;
  }
  keys(): Iterable<string> {
    return new Set(this.layers.flatMap((layer) => Object.keys(layer)));
  }
}

function errorOf(run: () => unknown): JmespathError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof JmespathError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}

describe('a scope as root', () => {
  const layers = () =>
    new Layers([{ element: { name: 'e' } }, { request: { object: { kind: 'Pod' } }, element: 'hidden' }]);

  it('is asked only for the keys an expression names', () => {
    const scope = layers();
    expect(compile('request.object.kind').evaluate(scope)).toBe('Pod');
    expect(compile("element.name || 'x'").evaluate(scope)).toBe('e');
    expect(scope.asked).toEqual(['request', 'element']);
  });

  it('is not asked for keys of other values', () => {
    const scope = layers();
    expect(compile('request.object | kind').evaluate(scope)).toBe('Pod');
    expect(compile('[request][*].object.kind').evaluate(scope)).toEqual(['Pod']);
    expect(compile('map(&object.kind, [request])').evaluate(scope)).toEqual(['Pod']);
    expect(compile('[request][?object.kind]').evaluate(scope)).toHaveLength(1);
    expect(new Set(scope.asked)).toEqual(new Set(['request']));
  });

  it('has unknown keys like any object', () => {
    expect(errorOf(() => compile('nothing.here').evaluate(layers()))).toMatchObject({
      code: 'jmespath-unknown-key',
      key: 'nothing',
      message: 'Unknown key "nothing" in path',
    });
    expect(compile('nothing.here').find(layers())).toBe(missing);
    expect(compile("nothing || 'x'").evaluate(layers())).toBe('x');
  });

  it('becomes a plain object where it is taken as a value', () => {
    expect(compile('@').evaluate(layers())).toEqual({ element: { name: 'e' }, request: { object: { kind: 'Pod' } } });
    expect(compile('@.element.name').evaluate(layers())).toBe('e');
    expect(compile('keys(@) | sort(@)').evaluate(layers())).toEqual(['element', 'request']);
    expect(compile('*.name').evaluate(layers())).toEqual(['e']);
    expect(compile('@ | element.name').evaluate(layers())).toBe('e');
  });

  it('may throw what it likes, even left of a filter', () => {
    class Broken extends Layers {
      override get(): unknown {
        throw new TypeError('look-up needed');
      }
    }
    expect(() => compile("split(entry, ',')[?@]").evaluate(new Broken([]))).toThrow(new TypeError('look-up needed'));
  });
});

describe('an error', () => {
  it('points at its place in the expression', () => {
    const error = errorOf(() => compile('a.b\n  || c..d'));
    expect(error).toMatchObject({ code: 'jmespath-syntax', offset: 11, position: { line: 2, column: 8 } });
    expect(error.caret()).toBe('  || c..d\n       ^');
  });

  it('of a function names the function and points at the call', () => {
    const error = errorOf(() => compile('a && to_upper(b)').evaluate({ a: 1, b: 2 }));
    expect(error).toMatchObject({ code: 'jmespath-argument-type', offset: 5 });
    expect(error.message).toBe("JMESPath function 'to_upper': argument #1 is a number, not of type string");
  });

  it('for a dash in a bare name says what to do', () => {
    expect(errorOf(() => compile('metadata.labels.app-name')).message).toContain('double quotes');
  });

  it('for an unknown function or a wrong count comes when compiling, or when called if asked so', () => {
    expect(errorOf(() => compile('a && nope()'))).toMatchObject({ code: 'jmespath-unknown-function', offset: 5 });
    expect(errorOf(() => compile('length(a, b)'))).toMatchObject({ code: 'jmespath-arity' });
    const late = compile('a && nope()', { checkCalls: 'evaluate' });
    expect(late.evaluate({ a: false })).toBe(false);
    expect(errorOf(() => late.evaluate({ a: true })).code).toBe('jmespath-unknown-function');
  });

  it('says what the environment does not offer, and is not swallowed by a filter', () => {
    for (const call of ['time_now()', "random('a{2,9}')", "is_external_url('http://a.example')"]) {
      expect(errorOf(() => compile(`${call}[]`).evaluate({})).code).toBe('jmespath-not-available');
    }
  });
});

describe('data', () => {
  it('is never changed', () => {
    const frozen = deepFreeze({ list: [{ n: 2 }, { n: 1 }], a: { x: 1 }, b: { x: 2 } });
    for (const text of [
      'sort_by(list, &n)',
      'sort(list[*].n)',
      'merge(a, b)',
      'reverse(list)',
      'list[]',
      'to_array(list)',
    ]) {
      expect(() => compile(text).evaluate(frozen)).not.toThrow();
    }
  });

  it('keeps integers beyond 2^53 exact where they are only passed on', () => {
    const data = { n: 9007199254740993n };
    expect(compile('[n][0]').evaluate(data)).toBe(9007199254740993n);
    expect(compile('to_string(n)').evaluate(data)).toBe('9007199254740993');
    expect(compile('n > `9007199254740992` && type(n)').evaluate(data)).toBe('number');
    expect(compile('add(n, `1`)').evaluate(data)).toBe(Number(data.n) + 1);
    expect(compile('n == `9007199254740993`').evaluate(data)).toBe(true);
  });

  it('shows no key that it does not own', () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', '"__proto__"', 'length']) {
      expect(compile(name).find({})).toBe(missing);
      expect(compile(`a.${name}`).find({ a: {} })).toBe(missing);
      expect(compile(`a.${name}`).find({ a: [1] })).toBeNull();
      expect(compile(`a.${name}`).find({ a: 'text' })).toBeNull();
    }
    expect(compile('a.values.length').evaluate({ a: { values: { length: 7 } } })).toBe(7);
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
