import { CallFailure, LimitReached } from '../errors.ts';
import type { Run } from '../run.ts';
import {
  createDict,
  type Dict,
  dictDelete,
  dictGet,
  dictSet,
  elementType,
  isDict,
  isTrue,
  sortedKeys,
  typeName,
  type Value,
  withElements,
} from '../values.ts';
import { textOf } from './convert.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

/** A nil dict is what Go has where nothing was given: empty to read, and no place to write. */
type MaybeDict = Dict | null | undefined;

const keysOf = (dict: MaybeDict) => (dict ? sortedKeys(dict) : []);
const entryOf = (dict: MaybeDict, key: string) => (dict ? dictGet(dict, key) : undefined);

type Merger = (run: Run, into: MaybeDict, ...sources: MaybeDict[]) => Value;

const mergers = (name: string, overwrite: boolean): Record<string, Merger> => ({
  [`${name}(dict, ...dict)`]: (run, into, ...sources) => {
    const target = into ?? createDict();
    for (const source of sources) if (source) mergeInto(run, { target, source, overwrite });
    return target;
  },
});

export const dictFunctions: readonly FunctionSpec[] = [
  ...define({
    'get(dict, string)': (from: MaybeDict, key: string) => entryOf(from, key) ?? (hasKey(from, key) ? null : ''),
    'set(dict, string, any)': (into: MaybeDict, key: string, value: Value) => {
      if (!into) throw new CallFailure('assignment to entry in nil map');
      dictSet(into, key, value);
      return into;
    },
    'unset(dict, string)': (from: MaybeDict, key: string) => {
      if (from) dictDelete(from, key);
      return from;
    },
    'hasKey(dict, string)': hasKey,
    'pluck(string, ...dict)': (key: string, ...dicts: MaybeDict[]) =>
      dicts.filter((from) => hasKey(from, key)).map((from) => entryOf(from, key)),
    'keys(...dict)': (...dicts: MaybeDict[]) => withElements(dicts.flatMap(keysOf), 'string'),
    'values(dict)': (from: MaybeDict) => keysOf(from).map((key) => entryOf(from, key)),
    'pick(dict, ...string)': (from: MaybeDict, ...keys: string[]) =>
      select(
        from,
        keys.filter((key) => hasKey(from, key)),
      ),
    'omit(dict, ...string)': (from: MaybeDict, ...keys: string[]) =>
      select(
        from,
        keysOf(from).filter((key) => !keys.includes(key)),
      ),
    'dig(...any)': dig,
  }),
  ...defineRunning({
    'dict(...any)': dict,
    ...mergers('merge', false),
    ...mergers('mustMerge', false),
    ...mergers('mergeOverwrite', true),
    ...mergers('mustMergeOverwrite', true),
    'deepCopy(any)': deepCopy,
    'mustDeepCopy(any)': deepCopy,
  }),
];

/** What changes a value in place: data are copied before a template that calls one of these. */
export const mutatingFunctions: ReadonlySet<string> = new Set([
  'set',
  'unset',
  'merge',
  'mustMerge',
  'mergeOverwrite',
  'mustMergeOverwrite',
  // The text that `tpl` is given may call any of them.
  'tpl',
]);

function hasKey(dict: MaybeDict, key: string): boolean {
  return entryOf(dict, key) !== undefined;
}

function dict(run: Run, ...items: Value[]): Value {
  const made = createDict();
  for (let i = 0; i < items.length; i += 2)
    dictSet(made, textOf(items[i], run), i + 1 < items.length ? items[i + 1] : '');
  return made;
}

function select(from: MaybeDict, keys: readonly string[]): Value {
  const made = createDict();
  for (const key of keys) dictSet(made, key, entryOf(from, key));
  return made;
}

function dig(...items: Value[]): Value {
  if (items.length < 3) throw new CallFailure('dig needs at least three arguments');
  const [fallback, root] = items.slice(-2);
  let value: Value = expectDict(root);
  for (const key of items.slice(0, -2)) {
    if (typeof key !== 'string') throw conversion(key, 'string');
    const found = dictGet(expectDict(value), key);
    if (found === undefined) return fallback;
    value = found;
  }
  return value;
}

function expectDict(value: Value): Dict {
  if (isDict(value) && elementType(value) === 'interface {}') return value;
  throw conversion(value, 'map[string]interface {}');
}

function conversion(value: Value, type: string): CallFailure {
  const actual = value === null || value === undefined ? 'nil' : typeName(value);
  return new CallFailure(`interface conversion: interface {} is ${actual}, not ${type}`);
}

interface Merge {
  readonly target: Dict;
  readonly source: Dict;
  readonly overwrite: boolean;
}

/** Fills what the target lacks, or has empty, from the source; with `overwrite` takes everything the source has. */
function mergeInto(run: Run, { target, source, overwrite }: Merge, depth = 0): void {
  run.step();
  if (depth > run.env.limits.depth)
    throw new LimitReached('template-depth-limit', 'the values are nested too deeply to be merged');
  for (const key of sortedKeys(source)) {
    run.step();
    const fresh = dictGet(source, key);
    const old = dictGet(target, key);
    if (fresh === null) {
      if (overwrite) dictSet(target, key, null);
    } else if (isDict(fresh) && isDict(old)) {
      if (isTrue(old)) mergeInto(run, { target: old, source: fresh, overwrite }, depth + 1);
      else dictSet(target, key, fresh);
    } else if (overwrite || !isTrue(old)) dictSet(target, key, fresh);
  }
}

/** A copy that shares nothing that can be changed. */
export function deepCopy(run: Run, value: Value, depth = 0): Value {
  run.step();
  if (depth > run.env.limits.depth)
    throw new LimitReached('template-depth-limit', 'the value is nested too deeply to be copied');
  if (Array.isArray(value)) {
    return withElements(
      value.map((item) => deepCopy(run, item, depth + 1)),
      elementType(value),
    );
  }
  if (!isDict(value)) return value;
  const copy = withElements(createDict(), elementType(value));
  for (const key of sortedKeys(value)) dictSet(copy, key, deepCopy(run, dictGet(value, key), depth + 1));
  return copy;
}
