import type { FunctionDecl } from '../environment.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  stringType,
  timestampType,
  uintType,
} from '../types.ts';
import { checkSize, spendEffort } from '../values/effort.ts';
import { compare, isComparable, isEqual } from '../values/equality.ts';
import { CelDouble, CelDuration, CelError, CelUint, isInt, noSuchOverload, typeNameOf } from '../values/values.ts';
import { A, declare, declareSingleton, form, listOfA, member } from './declare.ts';
import { add } from './operators.ts';

type List = readonly unknown[];

const summable: readonly (readonly [string, CelType, unknown])[] = [
  ['int', intType, 0],
  ['uint', uintType, new CelUint(0n)],
  ['double', doubleType, new CelDouble(0)],
  ['duration', durationType, new CelDuration(0n)],
];
const comparable: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

function isSorted(list: List): unknown {
  for (let i = 0; i < list.length; i++) {
    if (!isComparable(list[i])) return noSuchOverload;
    if (i > 0 && compare(list[i - 1], list[i]) === 1) return false;
  }
  return true;
}

function sum(list: List, zero: unknown): unknown {
  let total = zero;
  for (const item of list) {
    total = add(total, item);
    if (total instanceof CelError) return total;
  }
  return total;
}

/** The least or greatest, the first of several; elements that cannot be compared are passed over. */
function extreme(name: 'min' | 'max', replaces: -1 | 1): (list: List) => unknown {
  const empty = new CelError(`${name} called on empty list`);
  return (list) => {
    let best: unknown;
    for (const item of list) {
      if (!isComparable(item)) return noSuchOverload;
      if (best === undefined || compare(best, item) === replaces) best = item;
    }
    return best === undefined ? empty : best;
  };
}

const indexIn = (list: List, item: unknown) => list.findIndex((each) => isEqual(each, item));
const lastIndexIn = (list: List, item: unknown) => list.findLastIndex((each) => isEqual(each, item));

function slice(list: List, start: number | bigint, end: number | bigint): unknown {
  const refuse = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0 || end < 0) return refuse('negative indexes not supported');
  if (start > end) return refuse('start index must be less than or equal to end index');
  if (list.length < end) return refuse(`list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth: number | bigint): List {
  const flat: unknown[] = [];
  for (const item of list) {
    if (!Array.isArray(item) || depth <= 0) flat.push(item);
    else for (const inner of flatten(item, Number(depth) - 1)) flat.push(inner);
  }
  checkSize(flat.length);
  return flat;
}

const shown: Readonly<Record<string, string>> = { map: 'map(dyn, dyn)', optional_type: 'optional_type(dyn)' };
const shownType = (value: unknown) => shown[typeNameOf(value)] ?? typeNameOf(value);

/** Without a guard of its own: lists of anything are flattened as far as they go. */
function flattenAny(list: unknown, depth?: unknown): unknown {
  if (!Array.isArray(list) || !isInt(depth ?? 1)) {
    const argument = depth === undefined ? '' : shownType(depth);
    return new CelError(`no such overload: ${shownType(list)}.flatten(${argument})`);
  }
  const level = (depth ?? 1) as number | bigint;
  return level < 0 ? new CelError('level must be non-negative') : flatten(list, level);
}

const maxRange = 1_000_000;

function range(count: number | bigint): unknown {
  if (count < 0) return new CelError(`lists.range: size must be non-negative, got ${count}`);
  if (count > maxRange) return new CelError(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`);
  return Array.from({ length: Number(count) }, (_, i) => i);
}

function distinct(list: List): List {
  const unique: unknown[] = [];
  for (const item of list) {
    spendEffort(unique.length);
    if (!unique.some((other) => isEqual(item, other))) unique.push(item);
  }
  return unique;
}

function sortBy(list: List, keys: List): unknown {
  if (list.length === 0) return list;
  if (list.length !== keys.length) return noSuchOverload;
  const [first] = keys;
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  if (keys.length > 1 && keys.some((key) => typeNameOf(key) !== typeNameOf(first))) {
    return new CelError('list elements must have the same type');
  }
  const order = keys.map((_, i) => i).sort((a, b) => Number(compare(keys[a], keys[b]) ?? 0));
  return order.map((i) => list[i]);
}

/** Kubernetes' own. */
export const kubernetesListFunctions: readonly FunctionDecl[] = [
  declare(
    'isSorted',
    ...comparable.map(([name, type]) => member(`list_${name}_is_sorted_bool`, [listType(type)], boolType, isSorted)),
  ),
  declare(
    'sum',
    ...summable.map(([name, type, zero]) =>
      member(`list_${name}_sum_${name}`, [listType(type)], type, (list: List) => sum(list, zero)),
    ),
  ),
  ...(['max', 'min'] as const).map((name) => {
    const call = extreme(name, name === 'max' ? -1 : 1);
    return declare(
      name,
      ...comparable.map(([type, of]) => member(`list_${type}_${name}_${type}`, [listType(of)], of, call)),
    );
  }),
  declare('indexOf', member('list_a_index_of_int', [listOfA, A], intType, indexIn)),
  declare('lastIndexOf', member('list_a_last_index_of_int', [listOfA, A], intType, lastIndexIn)),
];

/** The lists extension as of version 3. */
export const listFunctions: readonly FunctionDecl[] = [
  declare('slice', member('list_slice', [listOfA, intType, intType], listOfA, slice)),
  declareSingleton(
    'flatten',
    flattenAny,
    undefined,
    member('list_flatten', [listType(listOfA)], listOfA),
    member('list_flatten_int', [listType(dynType), intType], listType(dynType)),
  ),
  declareSingleton(
    'sort',
    (list) => sortBy(list as List, list as List),
    Array.isArray,
    ...comparable.map(([, type]) => member(`list_${type.name}_sort`, [listType(type)], listType(type))),
  ),
  declareSingleton(
    '@sortByAssociatedKeys',
    (list, keys) => sortBy(list as List, keys as List),
    Array.isArray,
    ...comparable.map(([, type]) =>
      member(`list_${type.name}_sortByAssociatedKeys`, [listOfA, listType(type)], listOfA),
    ),
  ),
  declare('lists.range', form('lists_range', [intType], listType(intType), range)),
  declare(
    'reverse',
    member('list_reverse', [listOfA], listOfA, (list: List) => [...list].reverse()),
  ),
  declare('distinct', member('list_distinct', [listOfA], listOfA, distinct)),
];

const containsAll = (list: List, other: List) => other.every((item) => list.some((each) => isEqual(item, each)));

export const setFunctions: readonly FunctionDecl[] = [
  declare('sets.contains', form('list_sets_contains_list', [listOfA, listOfA], boolType, containsAll)),
  declare(
    'sets.equivalent',
    form(
      'list_sets_equivalent_list',
      [listOfA, listOfA],
      boolType,
      (a: List, b: List) => containsAll(a, b) && containsAll(b, a),
    ),
  ),
  declare(
    'sets.intersects',
    form('list_sets_intersects_list', [listOfA, listOfA], boolType, (a: List, b: List) =>
      a.some((item) => b.some((each) => isEqual(item, each))),
    ),
  ),
];
