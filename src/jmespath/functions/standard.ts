import { assignOwn } from '../../base/index.ts';
import { CallFailure, invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import { compareText, isEqual, isNumber, isObject, type PlainObject, Reference } from '../values.ts';
import { renderGoJson } from './go-json.ts';
import { finite, parseGoFloat } from './go-number.ts';
import { define, type FunctionSpec } from './signature.ts';

type Numeric = number | bigint;
type List = readonly unknown[];

/** The functions every JMESPath has. `sum` is Kyverno's own, see arithmetic. */
export const standardFunctions: readonly FunctionSpec[] = [
  define('abs', ['number'], (_, n: Numeric) => (n < 0 ? -n : n)),
  define('avg', ['array[number]'], (run, list: readonly Numeric[]) => {
    run.charge(list.length);
    return list.length === 0 ? null : finite(list.reduce<number>((sum, n) => sum + Number(n), 0) / list.length);
  }),
  define('ceil', ['number'], (_, n: Numeric) => (typeof n === 'bigint' ? n : Math.ceil(n))),
  define('floor', ['number'], (_, n: Numeric) => (typeof n === 'bigint' ? n : Math.floor(n))),
  define('contains', ['array|string', 'any'], (run, where: List | string, what: unknown) => {
    if (typeof where === 'string') {
      run.chargeText(where.length);
      return typeof what === 'string' && where.includes(what);
    }
    run.charge(where.length);
    return where.some((item) => isEqual(item, what, run));
  }),
  define('starts_with', ['string', 'string'], (_, text: string, prefix: string) => text.startsWith(prefix)),
  define('ends_with', ['string', 'string'], (_, text: string, suffix: string) => text.endsWith(suffix)),
  define('join', ['string', 'array[string]'], (run, glue: string, list: readonly string[]) => {
    run.chargeText(list.reduce((sum, text) => sum + text.length + glue.length, 0));
    return list.join(glue);
  }),
  define('keys', ['object'], (run, object: PlainObject) => charged(Object.keys(object), run)),
  define('values', ['object'], (run, object: PlainObject) => charged(Object.values(object), run)),
  define('length', ['string|array|object'], (run, value: string | List | PlainObject) => {
    if (typeof value !== 'string') return Array.isArray(value) ? value.length : Object.keys(value).length;
    run.chargeText(value.length);
    return countCharacters(value);
  }),
  define('map', ['expression', 'array'], (run, by: Reference, list: List) => {
    run.charge(list.length);
    return list.map((item) => by.apply(item, run));
  }),
  {
    name: 'merge',
    parameters: [['object']],
    variadic: ['object'],
    call: (objects, run) => {
      run.charge(objects.reduce<number>((sum, object) => sum + Object.keys(object as PlainObject).length, 0));
      const merged: Record<string, unknown> = {};
      for (const object of objects) assignOwn(merged, object as PlainObject);
      return merged;
    },
  },
  {
    name: 'not_null',
    parameters: [['any']],
    variadic: ['any'],
    call: (values) => values.find((value) => value !== null) ?? null,
  },
  define('reverse', ['array|string'], (run, value: List | string) => {
    run.charge(value.length);
    return typeof value === 'string' ? [...value].reverse().join('') : [...value].reverse();
  }),
  define('max', ['array[number]|array[string]'], (run, list: List) => extreme(list, 1, run)),
  define('min', ['array[number]|array[string]'], (run, list: List) => extreme(list, -1, run)),
  define('max_by', ['array', 'expression'], (run, list: List, by: Reference) => extremeBy(list, by, 1, run)),
  define('min_by', ['array', 'expression'], (run, list: List, by: Reference) => extremeBy(list, by, -1, run)),
  define('sort', ['array[string]|array[number]'], (run, list: List) => [...charged(list, run, 8)].sort(compareOrdered)),
  define('sort_by', ['array', 'expression'], (run, list: List, by: Reference) => {
    if (list.length < 2) return list;
    const keyed = keysBy(list, by, run).map((key, i) => ({ key, item: list[i] }));
    return keyed.sort((a, b) => compareOrdered(a.key, b.key)).map(({ item }) => item);
  }),
  define('to_array', ['any'], (_, value: unknown) => (Array.isArray(value) ? value : [value])),
  define('to_number', ['any'], (_, value: unknown) => {
    if (isNumber(value)) return value;
    if (value instanceof Reference) throw new CallFailure('jmespath-argument-type', 'argument #1 is an expression');
    return typeof value === 'string' ? (parseGoFloat(value) ?? null) : null;
  }),
  define('to_string', ['any'], (run, value: unknown) => (typeof value === 'string' ? value : renderGoJson(value, run))),
  define('type', ['any'], (_, value: unknown) => {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'array';
    if (isObject(value)) return 'object';
    if (isNumber(value)) return 'number';
    if (value instanceof Reference) throw new CallFailure('jmespath-argument-type', 'argument #1 is an expression');
    return typeof value;
  }),
];

function charged<T extends List>(list: T, run: Run, each = 1): T {
  run.charge(list.length * each);
  return list;
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const c = text.charCodeAt(i);
    if (c < 0xd800 || c > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) count--;
  }
  return count;
}

function compareOrdered(a: unknown, b: unknown): number {
  if (typeof a === 'string') return compareText(a, b as string);
  return (a as Numeric) < (b as Numeric) ? -1 : (a as Numeric) > (b as Numeric) ? 1 : 0;
}

function extreme(list: List, sign: 1 | -1, run: Run): unknown {
  run.charge(list.length);
  let best: unknown = list[0] ?? null;
  for (let i = 1; i < list.length; i++) if (compareOrdered(list[i], best) * sign > 0) best = list[i];
  return best;
}

function extremeBy(list: List, by: Reference, sign: 1 | -1, run: Run): unknown {
  // A single element is the answer whatever the expression says of it.
  if (list.length < 2) return list[0] ?? null;
  const keys = keysBy(list, by, run);
  let best = 0;
  for (let i = 1; i < list.length; i++) if (compareOrdered(keys[i], keys[best]) * sign > 0) best = i;
  return list[best];
}

function keysBy(list: List, by: Reference, run: Run): unknown[] {
  run.charge(list.length * 8);
  const keys = list.map((item) => by.apply(item, run));
  const isText = typeof keys[0] === 'string';
  if (!isText && !isNumber(keys[0])) throw invalid('the expression must give a number or a string');
  if (!keys.every(isText ? (key) => typeof key === 'string' : isNumber)) {
    throw invalid(`the expression must give a ${isText ? 'string' : 'number'} for every element`);
  }
  return keys;
}
