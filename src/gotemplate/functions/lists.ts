import { CallFailure } from '../errors.ts';
import type { Run } from '../run.ts';
import { compareText } from '../utf8.ts';
import { elementType, isTrue, kindOf, nilList, type Value, withElements } from '../values.ts';
import { slice as builtinSlice } from './builtin.ts';
import { listOf, nilDereference, textOf, toInteger } from './convert.ts';
import { deepEqual } from './deep-equal.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';
import { textList } from './strings.ts';

const list = (value: Value, action: string): readonly Value[] =>
  listOf(value, (kind) => `Cannot ${action} type ${kind}`, kindOf);

/** sprig has each of these twice, once with `must` in front; in a template both fail in the same way. */
function twice<T>(name: string, parameters: string, work: T): Record<string, T> {
  const must = `must${name[0]!.toUpperCase()}${name.slice(1)}`;
  return { [`${name}(${parameters})`]: work, [`${must}(${parameters})`]: work };
}

const push = (items: Value, item: Value) => [...list(items, 'push on'), item];

export const listFunctions: readonly FunctionSpec[] = [
  ...define({
    'list(...any)': (...items: Value[]) => items,
    'tuple(...any)': (...items: Value[]) => items,
    ...twice('push', 'any, any', push),
    ...twice('append', 'any, any', push),
    ...twice('prepend', 'any, any', (items: Value, item: Value) => [item, ...list(items, 'prepend on')]),
    ...twice('first', 'any', (items: Value) => list(items, 'find first on')[0] ?? null),
    ...twice('last', 'any', (items: Value) => list(items, 'find last on').at(-1) ?? null),
    ...twice('rest', 'any', (items: Value) => orNil(list(items, 'find rest on'), 1, undefined)),
    ...twice('initial', 'any', (items: Value) => orNil(list(items, 'find initial on'), 0, -1)),
    ...twice('reverse', 'any', (items: Value) => [...list(items, 'find reverse on')].reverse()),
    ...twice('compact', 'any', (items: Value) => list(items, 'compact on').filter(isTrue)),
    ...twice('slice', 'any, ...any', slice),
    ...twice('chunk', 'int, any', chunk),
    'concat(...any)': (...lists: Value[]) => {
      const all = lists.flatMap((items) => [...listOf(items, (kind) => `Cannot concat type ${kind} as list`, kindOf)]);
      return all.length === 0 ? nilList() : all;
    },
    'all(...any)': (...values: Value[]) => values.every(isTrue),
    'any(...any)': (...values: Value[]) => values.some(isTrue),
    'coalesce(...any)': (...values: Value[]) => values.find(isTrue) ?? null,
  }),
  ...defineRunning({
    'sortAlpha(any)': (run, items: Value) =>
      withElements(Array.isArray(items) ? textList(run, items).sort(compareText) : [textOf(items, run)], 'string'),
    ...twice('uniq', 'any', (run: Run, items: Value) => {
      const kept: Value[] = [];
      for (const item of list(items, 'find uniq on')) if (!includes(run, kept, item)) kept.push(item);
      return kept;
    }),
    ...twice('without', 'any, ...any', (run: Run, items: Value, ...unwanted: Value[]) =>
      list(items, 'find without on').filter((item) => !includes(run, unwanted, item)),
    ),
    ...twice('has', 'any, any', (run: Run, item: Value, items: Value) =>
      items === null || items === undefined ? false : includes(run, list(items, 'find has on'), item),
    ),
    'until(int)': (run, count: number) => sequence(run, 0, count, count < 0 ? -1 : 1),
    'untilStep(int, int, int)': sequence,
    'seq(...int)': (run, ...parameters: number[]) => renderSequence(run, parameters),
  }),
];

function includes(run: Run, items: readonly Value[], wanted: Value): boolean {
  run.step(1 + (items.length >> 3));
  return items.some((item) => deepEqual(run, item, wanted));
}

function orNil(items: readonly Value[], start: number, end: number | undefined): Value {
  return items.length === 0 ? nilList() : items.slice(start, end);
}

/** sprig's function of this name knows lists alone; a text is sliced as Go's own function does it. */
function slice(items: Value, ...indexes: Value[]): Value {
  if (typeof items === 'string') return builtinSlice(items, ...indexes);
  if (items === null || items === undefined) throw nilDereference();
  if (!Array.isArray(items)) throw new CallFailure(`list should be type of slice or array but ${kindOf(items)}`);
  if (items.length === 0) return null;
  const [start, end] = [Number(toInteger(indexes[0] ?? 0)), Number(toInteger(indexes[1] ?? items.length))];
  if (start < 0 || start > end || end > items.length)
    throw new CallFailure('reflect.Value.Slice: slice index out of bounds');
  return withElements(items.slice(start, end), elementType(items));
}

function chunk(size: number, items: Value): Value {
  const all = list(items, 'chunk');
  // Go computes the number of chunks and the rest in floats, which gives a meaning even to some negative sizes.
  const count = size === 0 ? -1 : Math.floor((all.length - 1) / size) + 1;
  const lengthAt = (i: number) => (i === count - 1 ? all.length % size || size : size);
  if (count < 0 || (count > 0 && (lengthAt(0) < 0 || lengthAt(count - 1) < 0))) {
    throw new CallFailure('runtime error: makeslice: len out of range');
  }
  const chunks = Array.from({ length: count }, (_, i) => all.slice(i * size, i * size + lengthAt(i)));
  return withElements(chunks, '[]interface {}');
}

function sequence(run: Run, start: number, stop: number, step: number): number[] {
  const numbers: number[] = withElements([], 'int');
  if (stop < start ? step >= 0 : step <= 0) return numbers;
  run.charge(8 * Math.ceil(Math.abs((stop - start) / step)));
  if (step > 0) for (let i = start; i < stop; i += step) numbers.push(i);
  else for (let i = start; i > stop; i += step) numbers.push(i);
  return numbers;
}

function renderSequence(run: Run, parameters: readonly number[]): string {
  const [first = 0, second = 0, third = 0] = parameters;
  const direction = (from: number, to: number) => (to < from ? -1 : 1);
  switch (parameters.length) {
    case 1:
      return sequence(run, 1, first + direction(1, first), direction(1, first)).join(' ');
    case 2:
      return sequence(run, first, second + direction(first, second), direction(first, second)).join(' ');
    case 3:
      if (third < first && second > 0) return '';
      return sequence(run, first, third + direction(first, third), second).join(' ');
    default:
      return '';
  }
}
