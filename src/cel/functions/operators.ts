import { operators } from '../ast.ts';
import type { FunctionDecl, Overload } from '../environment.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  param,
  stringType,
  timestampType,
  uintType,
} from '../types.ts';
import { checkSize } from '../values/effort.ts';
import { compare, isComparable, isEqual } from '../values/equality.ts';
import { KeyedList } from '../values/keyed-list.ts';
import { findKey, isMap } from '../values/map.ts';
import {
  addInts,
  arithmetic,
  divideInts,
  divideUints,
  type Int,
  isNumeric,
  moduloInts,
  moduloUints,
  multiplyInts,
  negateInt,
  subtractInts,
  uintOf,
} from '../values/numbers.ts';
import { addDuration, durationOf, subtractTimes } from '../values/time.ts';
import {
  CelBytes,
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  doubleOf,
  isDouble,
  isInt,
  noSuchOverload,
} from '../values/values.ts';
import { A, B, declare, declareSingleton, form, listOfA, mapOfAB } from './declare.ts';

interface Arithmetic {
  readonly ints: (a: Int, b: Int) => unknown;
  readonly uints: (a: bigint, b: bigint) => unknown;
  readonly doubles?: (a: number, b: number) => unknown;
}

/** Numbers of one type; undefined when these are none. */
function calculate(a: unknown, b: unknown, { ints, uints, doubles }: Arithmetic): unknown {
  if (isInt(a)) return isInt(b) ? ints(a, b) : noSuchOverload;
  if (a instanceof CelUint) return b instanceof CelUint ? uints(a.value, b.value) : noSuchOverload;
  if (doubles && isDouble(a)) return isDouble(b) ? doubles(doubleOf(a), doubleOf(b)) : noSuchOverload;
  return undefined;
}

const adding: Arithmetic = { ints: addInts, uints: (a, b) => uintOf(a + b), doubles: arithmetic.add };
const subtracting: Arithmetic = { ints: subtractInts, uints: (a, b) => uintOf(a - b), doubles: arithmetic.subtract };
const multiplying: Arithmetic = { ints: multiplyInts, uints: (a, b) => uintOf(a * b), doubles: arithmetic.multiply };
const dividing: Arithmetic = { ints: divideInts, uints: divideUints, doubles: arithmetic.divide };
const remainder: Arithmetic = { ints: moduloInts, uints: moduloUints };

export function add(a: unknown, b: unknown): unknown {
  if (typeof a === 'string') {
    if (typeof b !== 'string') return noSuchOverload;
    checkSize(a.length + b.length);
    return a + b;
  }
  const sum = calculate(a, b, adding);
  if (sum !== undefined) return sum;
  if (Array.isArray(a)) {
    if (!Array.isArray(b)) return noSuchOverload;
    if (a instanceof KeyedList) {
      checkSize(16 * (a.length + b.length));
      return a.plus(b);
    }
    // No list is ever changed, so that one can stand for itself.
    if (b.length === 0) return a;
    if (a.length === 0) return b;
    checkSize(16 * (a.length + b.length));
    return a.concat(b);
  }
  if (a instanceof CelBytes) {
    if (!(b instanceof CelBytes)) return noSuchOverload;
    checkSize(a.bytes.length + b.bytes.length);
    return new CelBytes(new Uint8Array(Buffer.concat([a.bytes, b.bytes])));
  }
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return durationOf(a.nanos + b.nanos);
    return b instanceof CelTimestamp ? addDuration(b, a.nanos) : noSuchOverload;
  }
  return a instanceof CelTimestamp && b instanceof CelDuration ? addDuration(a, b.nanos) : noSuchOverload;
}

function subtract(a: unknown, b: unknown): unknown {
  const difference = calculate(a, b, subtracting);
  if (difference !== undefined) return difference;
  if (a instanceof CelDuration) return b instanceof CelDuration ? durationOf(a.nanos - b.nanos) : noSuchOverload;
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return subtractTimes(a, b);
  if (!(a instanceof CelTimestamp && b instanceof CelDuration)) return noSuchOverload;
  const negated = durationOf(-b.nanos);
  return negated instanceof CelError ? negated : addDuration(a, negated.nanos);
}

const calculating = (rules: Arithmetic) => (a: unknown, b: unknown) => calculate(a, b, rules) ?? noSuchOverload;

function negate(value: unknown): unknown {
  if (isInt(value)) return negateInt(value);
  if (isDouble(value)) return arithmetic.subtract(-0, doubleOf(value));
  return value instanceof CelDuration ? durationOf(-value.nanos) : noSuchOverload;
}

const isText = (value: unknown) => typeof value === 'string' || value instanceof CelBytes;
const isTime = (value: unknown) => value instanceof CelDuration || value instanceof CelTimestamp;
const isAdder = (value: unknown) => isNumeric(value) || isText(value) || Array.isArray(value) || isTime(value);
const isSubtractor = (value: unknown) => isNumeric(value) || isTime(value);
const isModder = (value: unknown) => isInt(value) || value instanceof CelUint;

const isNegater = (value: unknown) =>
  isInt(value) || isDouble(value) || value instanceof CelDuration || typeof value === 'boolean';

const pair = (id: string, type: CelType, result = type) => form(id, [type, type], result);

const sums: readonly Overload[] = [
  pair('add_bytes', bytesType),
  pair('add_double', doubleType),
  pair('add_duration_duration', durationType),
  form('add_duration_timestamp', [durationType, timestampType], timestampType),
  form('add_timestamp_duration', [timestampType, durationType], timestampType),
  pair('add_int64', intType),
  pair('add_list', listOfA),
  pair('add_string', stringType),
  pair('add_uint64', uintType),
];
const differences: readonly Overload[] = [
  pair('subtract_double', doubleType),
  pair('subtract_duration_duration', durationType),
  pair('subtract_int64', intType),
  form('subtract_timestamp_duration', [timestampType, durationType], timestampType),
  pair('subtract_timestamp_timestamp', timestampType, durationType),
  pair('subtract_uint64', uintType),
];
const numbers = (name: string) => [
  pair(`${name}_double`, doubleType),
  pair(`${name}_int64`, intType),
  pair(`${name}_uint64`, uintType),
];

/** Orders within a type, and across the types of numbers. */
function order(
  name: string,
  symbol: string,
  holds: (result: number) => boolean,
  holdsForNumbers: (a: number, b: number) => boolean,
): FunctionDecl {
  const ids: readonly [string, CelType][] = [
    ['int64', intType],
    ['uint64', uintType],
    ['double', doubleType],
  ];
  const across = ids.flatMap(([left, a]) =>
    ids.map(([right, b]) => form(`${name}_${left}${left === right ? '' : `_${right}`}`, [a, b], boolType)),
  );
  const call = (a: unknown, b: unknown) => {
    if (typeof a === 'number' && typeof b === 'number') return holdsForNumbers(a, b);
    const result = compare(a, b);
    if (result === undefined) return false;
    return typeof result === 'number' ? holds(result) : result;
  };
  return declareSingleton(
    symbol,
    call,
    isComparable,
    pair(`${name}_bool`, boolType, boolType),
    ...across,
    pair(`${name}_string`, stringType, boolType),
    pair(`${name}_bytes`, bytesType, boolType),
    pair(`${name}_timestamp`, timestampType, boolType),
    pair(`${name}_duration`, durationType, boolType),
  );
}

function contains(item: unknown, container: unknown): unknown {
  if (Array.isArray(container)) return container.some((each) => isEqual(item, each));
  return isMap(container) ? findKey(container, item) !== undefined : noSuchOverload;
}

const K = param('K');
const V = param('V');

export const operatorFunctions: readonly FunctionDecl[] = [
  declare(operators.conditional, form('conditional', [boolType, A, A], A)),
  declare(operators.and, form('logical_and', [boolType, boolType], boolType)),
  declare(operators.or, form('logical_or', [boolType, boolType], boolType)),
  declareSingleton(
    operators.not,
    (value) => (typeof value === 'boolean' ? !value : noSuchOverload),
    undefined,
    form('logical_not', [boolType], boolType),
  ),
  declareSingleton(
    operators.notStrictlyFalse,
    (value) => value !== false,
    undefined,
    form('not_strictly_false', [boolType], boolType),
  ),
  declare(operators.equals, form('equals', [A, A], boolType)),
  declare(operators.notEquals, form('not_equals', [A, A], boolType)),
  declareSingleton(operators.add, add, isAdder, ...sums),
  declareSingleton(operators.subtract, subtract, isSubtractor, ...differences),
  declareSingleton(operators.multiply, calculating(multiplying), isNumeric, ...numbers('multiply')),
  declareSingleton(operators.divide, calculating(dividing), isNumeric, ...numbers('divide')),
  declareSingleton(operators.modulo, calculating(remainder), isModder, ...numbers('modulo').slice(1)),
  declareSingleton(
    operators.negate,
    negate,
    isNegater,
    form('negate_double', [doubleType], doubleType),
    form('negate_int64', [intType], intType),
  ),
  order(
    'less',
    operators.less,
    (result) => result < 0,
    (a, b) => a < b,
  ),
  order(
    'less_equals',
    operators.lessEquals,
    (result) => result <= 0,
    (a, b) => a <= b,
  ),
  order(
    'greater',
    operators.greater,
    (result) => result > 0,
    (a, b) => a > b,
  ),
  order(
    'greater_equals',
    operators.greaterEquals,
    (result) => result >= 0,
    (a, b) => a >= b,
  ),
  declareSingleton(
    operators.in,
    contains,
    undefined,
    form('in_list', [A, listOfA], boolType),
    form('in_map', [A, mapOfAB], boolType),
  ),
  declare(
    operators.index,
    form('index_list', [listOfA, intType], A),
    form('index_map', [mapOfAB, A], B),
    form('optional_list_index_int', [optionalType(listType(V)), intType], optionalType(V)),
    form('optional_map_index_value', [optionalType(mapType(K, V)), K], optionalType(V)),
  ),
  declare(
    operators.optIndex,
    form('list_optindex_optional_int', [listType(V), intType], optionalType(V)),
    form('optional_list_optindex_optional_int', [optionalType(listType(V)), intType], optionalType(V)),
    form('map_optindex_optional_value', [mapType(K, V), K], optionalType(V)),
    form('optional_map_optindex_optional_value', [optionalType(mapType(K, V)), K], optionalType(V)),
  ),
  declare(operators.optSelect, form('select_optional_field', [dynType, stringType], optionalType(V))),
  declare(
    'cel.@mapInsert',
    form('@cel_map_insert_key_value', [mapOfAB, A, B], mapOfAB),
    form('@cel_map_insert_map', [mapOfAB, mapOfAB], mapOfAB),
  ),
];
