import { setOwn } from '../../base/index.ts';
import { maxInt, renderDouble } from './numbers.ts';
import {
  Boxed,
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  isPlainMap,
  LazyMap,
  typeNameOf,
} from './values.ts';

/** A map with keys that are not all strings. Numbers of one value are one key, whatever their type. */
export class CelMap extends Boxed {
  readonly typeName = 'map';
  constructor(readonly entries: ReadonlyMap<string, readonly [key: unknown, value: unknown]>) {
    super();
  }
}

export type AnyMap = CelMap | LazyMap | Readonly<Record<string, unknown>>;

export function isMap(value: unknown): value is AnyMap {
  return isPlainMap(value) || value instanceof CelMap || value instanceof LazyMap;
}

const identities = new WeakMap<object, number>();
let identityCount = 0;

/** One text for each key; undefined for bytes, which cannot be one. Lists and maps are keys by identity. */
function keyText(key: unknown): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'number':
    case 'bigint':
      return `n${key}`;
    case 'object':
      return objectKey(key);
    default:
      return String(key);
  }
}

function objectKey(key: object | null): string | undefined {
  if (key === null) return 'null';
  if (key instanceof CelUint) return `n${key.value}`;
  if (key instanceof CelDouble) return `n${key.value + 0}`;
  if (key instanceof CelDuration) return `d${key.nanos}`;
  if (key instanceof CelTimestamp) return `t${key.seconds}.${key.nanos}`;
  if (key instanceof CelBytes) return undefined;
  const known = identities.get(key) ?? ++identityCount;
  identities.set(key, known);
  return `i${known}`;
}

/** The value of a key; undefined when it is not there. */
export function findKey(map: AnyMap, key: unknown): unknown {
  if (map instanceof CelMap) {
    const text = keyText(key);
    return text === undefined ? undefined : map.entries.get(text)?.[1];
  }
  if (typeof key !== 'string') return undefined;
  if (map instanceof LazyMap) return map.get(key);
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function mapSize(map: AnyMap): number {
  if (map instanceof CelMap) return map.entries.size;
  return map instanceof LazyMap ? map.keys().length : Object.keys(map).length;
}

export function mapKeys(map: AnyMap): readonly unknown[] {
  if (map instanceof CelMap) return [...map.entries.values()].map(([key]) => key);
  return map instanceof LazyMap ? map.keys() : Object.keys(map);
}

/** Puts a map together: plain as long as every key is a string. */
export class MapBuilder {
  private plain: Record<string, unknown> | undefined = {};
  private entries: Map<string, [unknown, unknown]> | undefined;

  /** Keys of numbers and booleans count as they are; an error for any other. */
  set(key: unknown, value: unknown): CelError | undefined {
    if (this.plain !== undefined && typeof key === 'string') {
      setOwn(this.plain, key, value);
      return undefined;
    }
    const text = keyText(key);
    if (text === undefined) return new CelError(`unsupported key type: ${typeNameOf(key)}`);
    this.generalize().set(text, [key, value]);
    return undefined;
  }

  has(key: unknown): boolean {
    if (this.plain !== undefined) return typeof key === 'string' && Object.hasOwn(this.plain, key);
    return this.entries?.has(keyText(key) ?? '') ?? false;
  }

  delete(key: unknown): void {
    if (this.plain === undefined) this.entries?.delete(keyText(key) ?? '');
    else if (typeof key === 'string') delete this.plain[key];
  }

  build(): AnyMap {
    return this.plain ?? new CelMap(this.entries ?? new Map());
  }

  private generalize(): Map<string, [unknown, unknown]> {
    if (this.entries === undefined) {
      this.entries = new Map(Object.entries(this.plain ?? {}).map(([key, value]) => [`s${key}`, [key, value]]));
      this.plain = undefined;
    }
    return this.entries;
  }
}

/** The index that a value is for a list: numbers of integral value, within 64 bits. */
export function indexOf(value: unknown): number | CelError {
  const number = value instanceof CelDouble ? value.value : value;
  if (typeof number === 'number') {
    const isIndex = Number.isInteger(number) && Math.abs(number) < 2 ** 63;
    return isIndex ? number : unsupportedIndex(renderDouble(number));
  }
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof CelUint)) return new CelError(`unsupported index type '${typeNameOf(value)}' in list`);
  return value.value <= maxInt ? Number(value.value) : unsupportedIndex(String(value.value));
}

const unsupportedIndex = (value: string) => new CelError(`unsupported index value ${value} in list`);
