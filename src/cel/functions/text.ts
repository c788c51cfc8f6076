import { RE2JS } from 're2js';
import type { FunctionDecl } from '../environment.ts';
import { boolType, intType, listType, stringType } from '../types.ts';
import { checkSize } from '../values/effort.ts';
import { renderGo } from '../values/render.ts';
import { CelError, noSuchOverload } from '../values/values.ts';
import { declare, declareSingleton, form, member } from './declare.ts';

type Text = (text: string, other: string) => boolean;

/** Of the standard library, without guards of their own: every other type is refused in the same words. */
const textTest = (name: string, id: string, test: Text): FunctionDecl =>
  declareSingleton(
    name,
    (text, other) => (typeof text === 'string' && typeof other === 'string' ? test(text, other) : noSuchOverload),
    undefined,
    member(id, [stringType, stringType], boolType),
  );

/** A pattern of RE2, or the error that a call with it gives. */
export function compileRegex(pattern: string): RE2JS | CelError {
  try {
    return RE2JS.compile(pattern);
  } catch (thrown) {
    const reason = (thrown as Error).message.replace(/^error parsing regexp: /, '');
    // Go shows an empty part of the expression behind this reason as behind all others.
    return new CelError(`error parsing regexp: ${reason.replace(/ at end of expression$/, '$&: ``')}`);
  }
}

function matches(text: unknown, pattern: unknown): unknown {
  if (typeof pattern !== 'string') return noSuchOverload;
  const regex = compileRegex(pattern);
  return regex instanceof CelError ? regex : regex.test(text as string);
}

const index = (value: number | bigint) => Number(value);
const outOfRange = (at: number | bigint) => new CelError(`index out of range: ${at}`);

/** Characters, which are what indexes count. */
const charactersOf = (text: string): readonly string[] => Array.from(text);

function charAt(text: string, at: number | bigint): string | CelError {
  const characters = charactersOf(text);
  if (at < 0 || at > characters.length) return outOfRange(at);
  return characters[index(at)] ?? '';
}

function indexOfText(text: string, part: string, from: number | bigint = 0): number | CelError {
  if (from < 0) return outOfRange(from);
  const characters = charactersOf(text);
  if (part === '') return Math.min(index(from), characters.length);
  if (from >= characters.length) return -1;
  const found = text.indexOf(part, unitsOf(characters, index(from)));
  return found < 0 ? -1 : charactersOf(text.slice(0, found)).length;
}

function lastIndexOfText(text: string, part: string, from?: number | bigint): number | CelError {
  if (from !== undefined && from < 0) return outOfRange(from);
  const characters = charactersOf(text);
  if (part === '') return from === undefined ? characters.length : Math.min(index(from), characters.length);
  if (from !== undefined && from >= characters.length) return -1;
  const found = text.lastIndexOf(part, from === undefined ? undefined : unitsOf(characters, index(from)));
  return found < 0 ? -1 : charactersOf(text.slice(0, found)).length;
}

const unitsOf = (characters: readonly string[], count: number) => characters.slice(0, count).join('').length;

function substring(text: string, start: number | bigint, end?: number | bigint): string | CelError {
  const characters = charactersOf(text);
  if (end !== undefined && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > characters.length) return outOfRange(start);
  if (end !== undefined && (end < 0 || end > characters.length)) return outOfRange(end);
  return characters.slice(index(start), end === undefined ? undefined : index(end)).join('');
}

function replace(text: string, from: string, to: string, limit: number | bigint = -1): string {
  const parts = from === '' ? charactersOf(text) : text.split(from);
  const places = from === '' ? parts.length + 1 : parts.length - 1;
  const count = limit < 0 ? places : Math.min(index(limit), places);
  checkSize(text.length + count * to.length);
  if (from === '') {
    return parts.map((part, i) => (i < count ? to + part : part)).join('') + (count === places ? to : '');
  }
  if (count === places) return parts.join(to);
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from);
}

function split(text: string, separator: string, limit: number | bigint = -1): readonly string[] {
  const parts = separator === '' ? charactersOf(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  if (index(limit) === 0) return [];
  const kept = index(limit) - 1;
  return [...parts.slice(0, kept), parts.slice(kept).join(separator)];
}

function join(list: readonly unknown[], separator = ''): string | CelError {
  let size = 0;
  for (const item of list) {
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${renderGo(item)}`);
    size += item.length + separator.length;
  }
  checkSize(size);
  return list.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (c) => escapes[c] as string)}"`;
}

/** White space as Go's unicode.IsSpace has it. */
const trim = (text: string) =>
  text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, (space) => (space.includes('\ufeff') ? trimBom(space) : ''));
/** JavaScript counts the byte order mark as a space, Go does not. */
const trimBom = (space: string) => space.slice(space.indexOf('\ufeff'), space.lastIndexOf('\ufeff') + 1);

const lower = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upper = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

export const standardTextFunctions: readonly FunctionDecl[] = [
  textTest('contains', 'contains_string', (text, part) => text.includes(part)),
  textTest('startsWith', 'starts_with_string', (text, part) => text.startsWith(part)),
  textTest('endsWith', 'ends_with_string', (text, part) => text.endsWith(part)),
  declareSingleton(
    'matches',
    matches,
    (text) => typeof text === 'string',
    form('matches', [stringType, stringType], boolType),
    member('matches_string', [stringType, stringType], boolType),
  ),
];

const strings = listType(stringType);

/** The strings extension as of version 2. */
export const textFunctions: readonly FunctionDecl[] = [
  declare('charAt', member('string_char_at_int', [stringType, intType], stringType, charAt)),
  declare(
    'indexOf',
    member('string_index_of_string', [stringType, stringType], intType, indexOfText),
    member('string_index_of_string_int', [stringType, stringType, intType], intType, indexOfText),
  ),
  declare(
    'lastIndexOf',
    member('string_last_index_of_string', [stringType, stringType], intType, lastIndexOfText),
    member('string_last_index_of_string_int', [stringType, stringType, intType], intType, lastIndexOfText),
  ),
  declare('lowerAscii', member('string_lower_ascii', [stringType], stringType, lower)),
  declare('upperAscii', member('string_upper_ascii', [stringType], stringType, upper)),
  declare(
    'replace',
    member('string_replace_string_string', [stringType, stringType, stringType], stringType, replace),
    member('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType, replace),
  ),
  declare(
    'split',
    member('string_split_string', [stringType, stringType], strings, split),
    member('string_split_string_int', [stringType, stringType, intType], strings, split),
  ),
  declare(
    'substring',
    member('string_substring_int', [stringType, intType], stringType, substring),
    member('string_substring_int_int', [stringType, intType, intType], stringType, substring),
  ),
  declare('trim', member('string_trim', [stringType], stringType, trim)),
  declare('strings.quote', form('strings_quote', [stringType], stringType, quote)),
  declare(
    'join',
    member('list_join', [strings], stringType, join),
    member('list_join_string', [strings, stringType], stringType, join),
  ),
];

/** Of a later version: not in Kubernetes. */
export const reverseFunction = declare(
  'reverse',
  member('string_reverse', [stringType], stringType, (text: string) => [...text].reverse().join('')),
);
