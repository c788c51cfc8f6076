import { CallFailure } from './errors.ts';
import { compareText } from './utf8.ts';

/**
 * How Go's values are carried. `undefined` is no value at all; `null` a nil interface (what a map or a list can hold);
 * a whole `number` up to 2^53 and a `bigint` are `int`, any other number `float64`; every other numeric type is a `Num`.
 * An array is `[]interface {}` and an object or Map `map[string]interface {}` unless marked with an element type.
 */
export type Value = unknown;
export type Dict = Record<string, Value> | Map<string, Value>;

type NumericType = 'int64' | 'float64' | 'int32' | 'uint8' | 'uint32' | 'uint64';

/** A number of a type that a bare number cannot tell: `int64(3)`, `float64(1)`. */
export class Num {
  constructor(
    readonly type: NumericType,
    readonly value: number | bigint,
  ) {}
}

/** A value with methods, as Go's `time.Time` or a semantic version. */
export abstract class GoObject {
  abstract readonly typeName: string;
  abstract readonly kind: Kind;
  /** What `String()` answers, which is how it prints. */
  abstract toString(): string;
  /** `method` with its arguments; undefined when there is no such method. */
  abstract call(method: string, args: readonly Value[]): Value;
  abstract readonly methods: Readonly<Record<string, readonly string[]>>;
}

export class Complex {
  constructor(
    readonly real: number,
    readonly imaginary: number,
  ) {}
}

export type Kind =
  | 'invalid'
  | 'bool'
  | 'int'
  | NumericType
  | 'complex128'
  | 'string'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr';

export const float = (value: number): Value => (Number.isSafeInteger(value) ? new Num('float64', value) : value);

const minSafe = BigInt(Number.MIN_SAFE_INTEGER);
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
/** The shortest carrier of an integer. */
export const narrow = (value: bigint): number | bigint =>
  value >= minSafe && value <= maxSafe ? Number(value) : value;
/** An `int64` result, wrapped around as Go's arithmetic does. */
export const int64 = (value: number | bigint): Num =>
  new Num(
    'int64',
    typeof value === 'number' && Number.isSafeInteger(value) ? value : narrow(BigInt.asIntN(64, BigInt(value))),
  );

const elementTypes = new WeakMap<object, string>();
const nilLists = new WeakSet<object>();

/** Marks a list or a dict that Go would have typed more narrowly: `[]string`, `map[string]string`. */
export function withElements<T extends object>(collection: T, type: string): T {
  elementTypes.set(collection, type);
  return collection;
}
export const elementType = (collection: object): string => elementTypes.get(collection) ?? 'interface {}';

/** A nil slice: empty in every way, but `null` in JSON. */
export function nilList(type = 'interface {}'): Value[] {
  const list: Value[] = withElements([], type);
  nilLists.add(list);
  return list;
}
export const isNilList = (list: object): boolean => nilLists.has(list);

export function isDict(value: Value): value is Dict {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof Map) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

export const createDict = (): Record<string, Value> => Object.create(null);

/** The entry, or undefined when the key is not there. */
export function dictGet(dict: Dict, key: string): Value {
  if (dict instanceof Map) return dict.get(key);
  return Object.hasOwn(dict, key) ? dict[key] : undefined;
}

export function dictSet(dict: Dict, key: string, value: Value): void {
  // A key that exists must never be read as one that does not.
  const stored = value === undefined ? null : value;
  if (dict instanceof Map) dict.set(key, stored);
  else if (key === '__proto__') {
    Object.defineProperty(dict, key, { value: stored, writable: true, enumerable: true, configurable: true });
  } else dict[key] = stored;
}

export function dictDelete(dict: Dict, key: string): void {
  if (dict instanceof Map) dict.delete(key);
  else delete dict[key];
}

/** The keys in Go's order of strings; entries that are undefined are not there. */
export function sortedKeys(dict: Dict): string[] {
  const keys = dict instanceof Map ? [...dict.keys()] : Object.keys(dict);
  const present = keys.filter((key) => {
    if (typeof key !== 'string') throw new CallFailure(`a Map in the data has a key of type ${typeof key}`);
    return dictGet(dict, key) !== undefined;
  });
  return present.sort(compareText);
}

export function dictSize(dict: Dict): number {
  if (dict instanceof Map) return dict.size;
  let size = 0;
  for (const key in dict) if (Object.hasOwn(dict, key) && dict[key] !== undefined) size++;
  return size;
}

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'float64';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'undefined':
      return 'invalid';
    default:
  }
  if (value === null) return 'invalid';
  if (Array.isArray(value)) return 'slice';
  if (value instanceof Num) return value.type;
  if (value instanceof GoObject) return value.kind;
  if (value instanceof Complex) return 'complex128';
  if (isDict(value)) return 'map';
  const what = typeof value === 'object' ? value.constructor?.name : typeof value;
  throw new CallFailure(`the data hold a ${what}, which no template can use`);
}

/** The name of a value's type as Go prints it. */
export function typeName(value: Value): string {
  const kind = kindOf(value);
  if (kind === 'invalid') return '<nil>';
  if (value instanceof GoObject) return value.typeName;
  if (kind === 'slice') return `[]${elementType(value as object)}`;
  if (kind === 'map') return `map[string]${elementType(value as object)}`;
  return kind;
}

/** Whether `if`, `and`, `not`... take the value as true: it is not the zero of its type. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'boolean':
      return value;
    case 'bigint':
      return value !== 0n;
    case 'undefined':
      return false;
    default:
  }
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  // biome-ignore lint/suspicious/noDoubleEquals: 0 and 0n are both zero.
  if (value instanceof Num) return value.value != 0;
  if (value instanceof Complex) return value.real !== 0 || value.imaginary !== 0;
  if (isDict(value)) return dictSize(value) > 0;
  return true;
}

/** The integer of any of Go's integer types. */
export function integerOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value === 'bigint') return value;
  return value instanceof Num && value.type !== 'float64' ? value.value : undefined;
}

export function floatOf(value: Value): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? undefined : value;
  return value instanceof Num && value.type === 'float64' ? Number(value.value) : undefined;
}
