import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { FieldsError, keyElement, type PathElement, valueElement } from './path-element.ts';
import type { ListShape, Shape } from './shape.ts';

export type Form = 'map' | 'scalar' | 'list';

/**
 * The form of the value among those that the shape allows. Null, and a value of a form that is not allowed, use the
 * first.
 */
export function formOf(shape: Shape, value: unknown): Form {
  if (Array.isArray(value)) {
    if (shape.list) return 'list';
  } else if (typeof value === 'object') {
    if (value !== null && shape.map) return 'map';
  } else if (shape.scalar) return 'scalar';
  return shape.map ? 'map' : shape.scalar ? 'scalar' : 'list';
}

export const asMap = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

export const asList = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** An own field of the map: a label may be called `constructor`, which every object inherits. */
export function fieldOf(map: JsonObject | undefined, name: string): Json | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Deep equality of JSON; a field that is `undefined` is absent. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equalJson(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  let missing = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    if (!equalJson(left[key], fieldOf(right, key))) return false;
    missing--;
  }
  for (const key in right) if (right[key] !== undefined) missing++;
  return missing === 0;
}

export function isEmptyMap(map: JsonObject | undefined): boolean {
  for (const name in map) if (map[name] !== undefined) return false;
  return true;
}

/** The items of an associative list by identity; more than one where the list has duplicates. */
export type Items = ReadonlyMap<PathElement, readonly unknown[]>;

export function groupItems(shape: ListShape, list: readonly unknown[]): Items {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = itemElement(shape, item);
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

/** The path element of an item of an associative list or set; throws FieldsError when the item has no identity. */
export function itemElement(list: ListShape, item: unknown): PathElement {
  if (list.kind === 'set') {
    if (item === null) throw noIdentity("associative list without keys has an element that's an explicit null");
    if (Array.isArray(item)) throw noIdentity('not supported: associative list with lists as elements');
    if (typeof item === 'object') throw noIdentity("associative list without keys has an element that's a map type");
    return valueElement(item);
  }
  if (item === null) throw noIdentity('associative list with keys may not have a null element');
  const map = asMap(item);
  if (map === undefined) throw noIdentity('associative list with keys may not have non-map elements');
  const element = keyElement(map, list.keys, list.keyDefault);
  if (element === undefined) {
    const keys = list.keys.map((key) => JSON.stringify(key)).join(' ');
    throw noIdentity(
      `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
    );
  }
  return element;
}

const noIdentity = (message: string) => new FieldsError('fields-no-identity', message);
