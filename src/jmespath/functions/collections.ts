import { setOwn } from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import type { Run } from '../run.ts';
import { compareText, isEqual, type PlainObject } from '../values.ts';
import { integer, scalarText } from './go-number.ts';
import { define, type FunctionSpec } from './signature.ts';

type List = readonly unknown[];

/** Kyverno's functions on objects and lists. */
export const collectionFunctions: readonly FunctionSpec[] = [
  define('lookup', ['object|array', 'string|number'], (_, from: PlainObject | List, key: unknown) => {
    if (isList(from)) {
      if (typeof key === 'string') throw wrongType(2, 'number');
      return from[integer(key as number)] ?? null;
    }
    if (typeof key !== 'string') throw wrongType(2, 'string');
    return (Object.hasOwn(from, key) ? from[key] : null) ?? null;
  }),
  define('items', ['object|array', 'string', 'string'], (run, from: PlainObject | List, key: string, value: string) => {
    if (isList(from)) return from.map((item, i) => pairOf(key, i, value, item, run));
    // Sorted, so that the same object gives the same list wherever it came from.
    const keys = Object.keys(from).sort(compareText);
    return keys.map((name) => pairOf(key, name, value, from[name], run));
  }),
  define('object_from_lists', ['array', 'array'], (run, keys: List, values: List) => {
    run.charge(keys.length);
    const object: Record<string, unknown> = {};
    keys.forEach((key, i) => {
      const name = scalarText(key);
      if (name === undefined) throw wrongType(1, 'array[string]');
      setOwn(object, name, values[i] ?? null);
    });
    return object;
  }),
  define('label_match', ['object', 'object'], (run, wanted: PlainObject, labels: PlainObject) =>
    Object.keys(wanted).every((key) => Object.hasOwn(labels, key) && isEqual(wanted[key], labels[key], run)),
  ),
];

// Array.isArray does not narrow a readonly array out of a union.
function isList(value: PlainObject | List): value is List {
  return Array.isArray(value);
}

function pairOf(key: string, name: unknown, value: string, item: unknown, run: Run): PlainObject {
  run.charge(2);
  const pair: Record<string, unknown> = {};
  setOwn(pair, key, name);
  setOwn(pair, value, item);
  return pair;
}

function wrongType(argument: number, type: string): CallFailure {
  return new CallFailure('jmespath-argument-type', `argument #${argument} is not of type ${type}`);
}
