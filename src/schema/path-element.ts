import { isJsonObject, type Json, type JsonObject, parseJson, SupercargoError } from '../base/index.ts';

/**
 * One step of a path, in its canonical text: `f:name` a field, `k:{"name":"x"}` an item of an associative list,
 * `v:"x"` an item of a set, `i:0` an index. Two elements are the same exactly when their texts are.
 */
export type PathElement = string;

export class FieldsError extends SupercargoError {}

export const fieldElement = (name: string): PathElement => `f:${name}`;

export const valueElement = (value: unknown): PathElement => `v:${renderScalar(value)}`;

/** `names` in any order; a name that the item lacks is given by `fallback` or left out. */
export function keyElement(
  item: JsonObject,
  names: readonly string[],
  fallback: (name: string) => unknown,
): PathElement | undefined {
  const [only] = names;
  if (names.length === 1 && only !== undefined) {
    const value = item[only] ?? fallback(only);
    return value === undefined || value === null ? nullKey(item, only) : `k:{${quote(only)}:${renderScalar(value)}}`;
  }
  const parts: string[] = [];
  for (const name of [...names].sort()) {
    const value = item[name] === undefined ? fallback(name) : item[name];
    if (value !== undefined && (value !== null || item[name] === null))
      parts.push(`${quote(name)}:${renderScalar(value)}`);
  }
  return parts.length === 0 ? undefined : `k:{${parts.join(',')}}`;
}

const nullKey = (item: JsonObject, name: string) => (item[name] === null ? `k:{${quote(name)}:null}` : undefined);

/** The canonical form of a key of FieldsV1; undefined for kinds of elements that nobody knows yet. */
export function parsePathElement(text: string): PathElement | undefined {
  const kind = text.charCodeAt(0);
  if (text.length < 2) throw new FieldsError('fields-invalid', 'key must be 2 characters long:');
  if (text[1] !== ':') throw new FieldsError('fields-invalid', `missing colon: ${text}`);
  if (kind === 0x66) return text;
  if (kind === 0x6b || kind === 0x76) return canonical(text);
  if (kind !== 0x69) return undefined;
  if (!/^i:[+-]?\d+$/.test(text)) throw new FieldsError('fields-invalid', `not an index: ${text}`);
  return `i:${Number(text.slice(2))}`;
}

// The same few container and port names come again with every object; parsing them once is enough.
const canonicalTexts = new Map<string, string>();
const maxCanonicalTexts = 10_000;

function canonical(text: string): string {
  const known = canonicalTexts.get(text);
  if (known !== undefined) return known;
  const value = parseContent(text);
  let result: string;
  if (text.startsWith('v:')) result = valueElement(value);
  else {
    if (!isJsonObject(value)) throw new FieldsError('fields-invalid', `not an object: ${text}`);
    const names = Object.keys(value).sort();
    result = `k:{${names.map((name) => `${quote(name)}:${renderScalar(value[name])}`).join(',')}}`;
  }
  if (canonicalTexts.size >= maxCanonicalTexts) canonicalTexts.clear();
  canonicalTexts.set(text, result);
  return result;
}

function parseContent(element: string): Json {
  try {
    return parseJson(element.slice(2));
  } catch (cause) {
    throw new FieldsError('fields-invalid', `parsing key as path element: ${element}`, { cause });
  }
}

/** Fields, then keys, then values, then indexes; numbers by size, the rest by text. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0;
  const kindA = a.charCodeAt(0);
  const kindB = b.charCodeAt(0);
  if (kindA !== kindB) return kindOrder.indexOf(a[0]!) - kindOrder.indexOf(b[0]!);
  if (kindA === 0x66) return a < b ? -1 : 1;
  return kindA === 0x6b ? compareKeys(a, b) : compareValues(parseContent(a), parseContent(b));
}

const kindOrder = 'fkvi';

// One string without escapes whose characters all sort after the quote: the text sorts as the value does.
const simpleKey = /^k:\{"[\w-]+":"[\w./:-]*"\}$/;

function compareKeys(a: PathElement, b: PathElement): number {
  if (simpleKey.test(a) && simpleKey.test(b)) return a < b ? -1 : 1;
  const fieldsA = Object.entries(parseContent(a) as JsonObject);
  const fieldsB = Object.entries(parseContent(b) as JsonObject);
  for (let i = 0; i < fieldsA.length && i < fieldsB.length; i++) {
    const [nameA, valueA] = fieldsA[i]!;
    const [nameB, valueB] = fieldsB[i]!;
    if (nameA !== nameB) return nameA < nameB ? -1 : 1;
    const order = compareValues(valueA, valueB);
    if (order !== 0) return order;
  }
  return fieldsA.length - fieldsB.length;
}

function compareValues(a: unknown, b: unknown): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'object') return compareText(renderScalar(a), renderScalar(b));
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
}

const compareText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

function valueRank(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return value === null ? 4 : 3;
}

/** How the server names a path in messages: `.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]`. */
export const renderPath = (path: readonly PathElement[]): string => path.map(renderElement).join('');

function renderElement(element: PathElement): string {
  if (element.startsWith('f:')) return `.${element.slice(2)}`;
  if (element.startsWith('i:')) return `[${element.slice(2)}]`;
  const content = parseContent(element);
  if (element.startsWith('v:')) return `[=${JSON.stringify(content)}]`;
  const fields = Object.entries(content as JsonObject).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `[${fields.join(',')}]`;
}

// Go's encoder writes these characters escaped, and the text is an identity here.
const escaped = /[<>&\u2028\u2029]/g;

const plain = /^[\w ./:@=+,-]*$/;

function quote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(escaped, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function renderScalar(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(renderScalar).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${quote(name)}:${renderScalar(value[name])}`).join(',')}}`;
}
