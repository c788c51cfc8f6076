import { SupercargoError } from './errors.ts';
import { listDuplicateKeys, parseExactJson } from './json-exact.ts';

/** Any value that JSON can carry. Integers beyond 2^53 are bigint, so that an int64 survives a round trip. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export class JsonError extends SupercargoError {}

/** Deep enough for any schema seen in the field, shallow enough for every recursive walk over the result. */
export const maxJsonDepth = 500;

// A bare integer of 16 digits and more may lose its value as a double. Digits inside a string also match now
// and then; that only costs the slower parser.
const longInteger = /(?:^|[[:,\s])-?\d{16}/;
// Any letter of the key __proto__, escaped.
const escapedPrototypeKey = /\\u00(?:5f|7[024]|6f)/i;

/**
 * Parses with `JSON.parse` unless the text may hold an integer that a double cannot carry.
 * Nesting beyond `maxJsonDepth` and keys named `__proto__` are refused.
 */
export function parseJson(text: string): Json {
  if (mayBeTooDeep(text)) checkDepth(text);
  if (longInteger.test(text) || mayNamePrototype(text)) return parseExactJson(text);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new JsonError('json-invalid', (thrown as Error).message);
  }
}

/** `JSON.stringify`, and a slower writer only where the value holds a bigint. */
export function renderJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !thrown.message.includes('BigInt')) throw thrown;
    return renderWithBigInts(value, indent);
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Searching for single characters and for plain texts is many times faster than any loop or pattern.

/** Nothing is deeper than it has brackets, and most documents have few. */
function mayBeTooDeep(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++count > maxJsonDepth) return true;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++count > maxJsonDepth) return true;
  return false;
}

function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || (text.includes('\\u') && escapedPrototypeKey.test(text));
}

function checkDepth(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      // Strings are skipped with indexOf: most of a document is text, and this is the hot loop.
      i = endOfString(text, i);
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxJsonDepth) throw new JsonError('json-too-deep', `nested more than ${maxJsonDepth} levels deep`);
    } else if (c === 0x7d || c === 0x5d) depth--;
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

function renderWithBigInts(value: unknown, indent: number | undefined): string {
  // A private marker around each bigint's digits is stripped with its quotes afterwards.
  const mark = `\u0001${Math.random().toString(36).slice(2)}:`;
  const text = JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${mark}${v}` : v), indent);
  return text.replaceAll(new RegExp(`"\\\\u0001${mark.slice(1)}(-?\\d+)"`, 'g'), '$1');
}

/**
 * Paths of keys that an object of the text has more than once (`spec.containers[0].name`). `value` is what the text
 * was parsed to: as long as both have the same number of keys, which is quick to see, there is nothing to look for.
 */
export function findDuplicateKeys(text: string, value: Json): readonly string[] {
  return countColons(text) === countKeys(value) ? [] : listDuplicateKeys(text);
}

function countColons(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) i = endOfString(text, i);
    else if (c === 0x3a) count++;
  }
  return count;
}

function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countKeys(item);
  else
    for (const key in value) {
      count += 1 + countKeys((value as JsonObject)[key] as Json);
    }
  return count;
}
