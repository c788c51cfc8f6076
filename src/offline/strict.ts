import { isJsonObject, UsageError } from '../base/index.ts';

/**
 * The fields a map may have, and how each is read. Field names are case-insensitive, as in Go's JSON, for which the
 * files are written.
 */
export type Shape<T> = { readonly [K in keyof Required<T>]: Reader<T[K]> };
export type Reader<T> = (value: unknown, where: string) => Exclude<T, undefined>;

/** Rejects unknown fields; null and missing fields are omitted. */
function readShape<T extends object>(value: unknown, shape: Shape<T>, where: string): T {
  if (!isJsonObject(value)) return refuse(where, 'a map is expected here');
  const names = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name as keyof T & string]));
  const read: Partial<Record<keyof T, unknown>> = {};
  for (const [key, field] of Object.entries(value)) {
    const name = names.get(key.toLowerCase());
    if (name === undefined) return refuse(where, `unknown field "${key}"`);
    if (field !== null && field !== undefined) read[name] = shape[name](field, `${where} ${key}`);
  }
  return read as T;
}

export const shape =
  <T extends object>(fields: Shape<T>): Reader<T> =>
  (value, where) =>
    readShape(value, fields, where) as Exclude<T, undefined>;

export const text: Reader<string> = (value, where) =>
  typeof value === 'string' ? value : refuse(where, 'text is expected here');

export const flag: Reader<boolean> = (value, where) =>
  typeof value === 'boolean' ? value : refuse(where, 'true or false is expected here');

export const wholeNumber: Reader<number> = (value, where) =>
  typeof value === 'number' && Number.isInteger(value) ? value : refuse(where, 'a whole number is expected here');

export const anything: Reader<unknown> = (value) => value as Exclude<unknown, undefined>;

export const map: Reader<Readonly<Record<string, unknown>>> = (value, where) =>
  isJsonObject(value) ? value : refuse(where, 'a map is expected here');

export const textMap: Reader<Readonly<Record<string, string>>> = (value, where) =>
  Object.fromEntries(Object.entries(map(value, where)).map(([key, field]) => [key, text(field, `${where} ${key}`)]));

export const listOf =
  <T>(item: Reader<T>): Reader<readonly T[]> =>
  (value, where) =>
    Array.isArray(value)
      ? value.map((entry, index) => item(entry, `${where}[${index}]`))
      : refuse(where, 'a list is expected here');

export function refuse(where: string, what: string): never {
  throw new UsageError('offline-invalid-file', `${where}: ${what}`);
}
