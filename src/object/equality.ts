import { dequal } from 'dequal';

/** Equal as data, including every key: an absent field and a null one differ. */
export const deepEqual: (a: unknown, b: unknown) => boolean = dequal;

/**
 * Equal for most API types: absent, null, an empty map and an empty list are the same as fields of an object. Elements
 * of lists are compared one by one, so `[null]` and `[]` differ.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameElements(a, b);
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return sameFields(a as Fields, b as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}

function sameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, index) => semanticEqual(element, b[index]));
}

function sameFields(a: Fields, b: Fields): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) if (!semanticEqual(own(a, key), own(b, key))) return false;
  return true;
}

const own = (object: Fields, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined);
