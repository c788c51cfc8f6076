import { JsonError } from './json-error.ts';
import { listDuplicateKeys, parseExactJson } from './json-exact.ts';
import { renderAnyJson } from './json-render.ts';

/** Any JSON value. Integers beyond 2^53 are bigint, so that an int64 survives a round trip. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/**
 * Go's limit, and so the API server's: an object that it accepted must parse here. A recursive walk over the result may
 * overflow the stack before that depth: its caller must handle a RangeError as a failure of that object alone.
 */
export const maxJsonDepth = 10_000;
/** The levels that a list, a watch event, an AdmissionReview and managedFields add around an object. */
const envelopeDepth = 16;

const longDigits = 16;
// An integer of 16 or more digits may lose its value as a double. Digits inside a string sometimes match too; that only
// costs the slower parser.
const longInteger = /(?:^|[[:,\s])-?\d{16}/;

/**
 * Parses with `JSON.parse` unless the text may contain an integer that a double cannot represent. Every key is an own
 * key, `__proto__` too. Rejects nesting beyond `maxDepth`.
 */
export function parseJson(text: string, maxDepth = maxJsonDepth + envelopeDepth): Json {
  if (mayBeTooDeep(text, maxDepth)) checkDepth(text, maxDepth);
  if (mayHaveLongInteger(text)) return parseExactJson(text);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new JsonError('json-invalid', (thrown as Error).message);
  }
}

/** `JSON.stringify`, and a slower writer only where the value contains a bigint or is nested too deeply for it. */
export function renderJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (thrown) {
    const isBigInt = thrown instanceof TypeError && thrown.message.includes('BigInt');
    if (!isBigInt && !isStackOverflow(thrown)) throw thrown;
    return renderAnyJson(value, indent);
  }
}

/** Thrown by a recursive walk over a value that is nested too deeply. */
export function isStackOverflow(thrown: unknown): boolean {
  return thrown instanceof RangeError && thrown.message.includes('call stack');
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Searching for single characters and plain texts is many times faster than a loop or pattern.

/** So many digits in a row cover one of the characters that are so far apart: the others need not be read. */
function mayHaveLongInteger(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits)
    if (isDigit(text, at) && isLongRun(text, at)) return longInteger.test(text);
  return false;
}

function isLongRun(text: string, at: number): boolean {
  let [start, end] = [at, at + 1];
  while (end - start < longDigits && isDigit(text, start - 1)) start--;
  while (end - start < longDigits && isDigit(text, end)) end++;
  return end - start === longDigits;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** The depth is at most the number of brackets, and most documents have few. */
function mayBeTooDeep(text: string, maxDepth: number): boolean {
  if (text.length <= maxDepth) return false;
  let count = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++count > maxDepth) return true;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++count > maxDepth) return true;
  return false;
}

function checkDepth(text: string, maxDepth: number): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      // Strings are skipped with indexOf: most of a document is text, and this is the hot loop.
      i = endOfString(text, i);
    } else if (c === 0x7b || c === 0x5b) {
      if (++depth > maxDepth) throw new JsonError('json-too-deep', `nested more than ${maxDepth} levels deep`);
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

/**
 * Paths of keys that an object of the text has more than once (`spec.containers[0].name`). `value` is the parsed text:
 * while both have the same number of keys, which is quick to check, there are no duplicates.
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
  let count = 0;
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const items: readonly (Json | undefined)[] = Array.isArray(next) ? next : Object.values(next as JsonObject);
    if (!Array.isArray(next)) count += items.length;
    for (const item of items) if (typeof item === 'object' && item !== null) open.push(item);
  }
  return count;
}
