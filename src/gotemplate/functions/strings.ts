import { isAscii, toLower, toUpper } from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import { display } from '../format/print.ts';
import { quote } from '../format/quote.ts';
import { parseIntegerText } from '../numbers.ts';
import type { Run } from '../run.ts';
import { byteLength, decodeUtf8, encodeUtf8, sliceBytes } from '../utf8.ts';
import { createDict, float, int64, narrow, type Value, withElements } from '../values.ts';
import { checkBounds, textOf, toFloat, toInteger } from './convert.ts';
import { camelCase, delimitedCase, initials, swapCase, titleCase, uncapitalize } from './letter-words.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

/** Go's unicode.IsSpace. */
const spaces = '\\t\\n\\v\\f\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const outerSpaces = new RegExp(`^[${spaces}]+|[${spaces}]+$`, 'gu');
const byteSpace = /[\t\n\v\f\r \x85\xa0]/g;

export const stringFunctions: readonly FunctionSpec[] = [
  ...define({
    'trim(string)': (text: string) => text.replace(outerSpaces, ''),
    'upper(string)': toUpper,
    'lower(string)': toLower,
    'toUpper(string)': toUpper,
    'toLower(string)': toLower,
    'title(string)': titleCase,
    'untitle(string)': uncapitalize,
    'swapcase(string)': swapCase,
    'snakecase(string)': (text: string) => delimitedCase(text, '_'),
    'kebabcase(string)': (text: string) => delimitedCase(text, '-'),
    'camelcase(string)': camelCase,
    'initials(string)': initials,
    'nospace(string)': withoutSpaces,
    'trunc(int, string)': truncate,
    'substr(int, int, string)': substring,
    'abbrev(int, string)': (width: number, text: string) => (width < 4 ? text : abbreviate(text, 0, width)),
    'abbrevboth(int, int, string)': (left: number, right: number, text: string) =>
      right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
    'trimAll(string, string)': trimAll,
    'trimall(string, string)': trimAll,
    'trimSuffix(string, string)': (suffix: string, text: string) =>
      suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
    'trimPrefix(string, string)': (prefix: string, text: string) =>
      text.startsWith(prefix) ? text.slice(prefix.length) : text,
    'contains(string, string)': (part: string, text: string) => text.includes(part),
    'hasPrefix(string, string)': (prefix: string, text: string) => text.startsWith(prefix),
    'hasSuffix(string, string)': (suffix: string, text: string) => text.endsWith(suffix),
    'plural(string, string, int)': (one: string, many: string, count: number) => (count === 1 ? one : many),
    'atoi(string)': (text: string) => clamp(parseIntegerText(text, 10) ?? 0n),
    'int(any)': toInteger,
    'int64(any)': (value: Value) => int64(toInteger(value)),
    'float64(any)': (value: Value) => float(toFloat(value)),
    'k8sName(string)': kubernetesName,
    'hello()': () => 'Hello!',
  }),
  ...defineRunning({
    'quote(...any)': (run, ...values: Value[]) => words(values, (value) => quote(textOf(value, run))),
    'squote(...any)': (run, ...values: Value[]) => words(values, (value) => `'${display(value, run)}'`),
    'cat(...any)': (run, ...values: Value[]) => words(values, (value) => display(value, run)),
    'toString(any)': (run, value: Value) => textOf(value, run),
    'toStrings(any)': textList,
    'repeat(int, string)': (run, count: number, text: string) => repeat(run, text, count),
    'indent(int, string)': indent,
    'nindent(int, string)': (run, count: number, text: string) => `\n${indent(run, count, text)}`,
    'replace(string, string, string)': (run, old: string, fresh: string, text: string) =>
      replace(run, { old, fresh, text }),
    'join(string, any)': (run, separator: string, list: Value) => {
      const parts = textList(run, list);
      run.charge(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
      return parts.join(separator);
    },
    'splitList(string, string)': (run, separator: string, text: string) =>
      withElements(splitText(run, separator, text), 'string'),
    'split(string, string)': (run, separator: string, text: string) => numbered(splitText(run, separator, text)),
    'splitn(string, int, string)': (run, separator: string, count: number, text: string) =>
      numbered(splitLimited(run, separator, count, text)),
    'wrap(int, string)': (run, width: number, text: string) =>
      wrapText(run, text, { width, newLine: '\n', isHard: false }),
    'wrapWith(int, string, string)': (run, width: number, newLine: string, text: string) =>
      wrapText(run, text, { width, newLine: newLine || '\n', isHard: true }),
  }),
];

const present = (values: readonly Value[]) => values.filter((value) => value !== null && value !== undefined);
const words = (values: readonly Value[], show: (value: Value) => string) => present(values).map(show).join(' ');

/** Any list, or a single value, as texts; nil is left out. */
export function textList(run: Run, value: Value): string[] {
  const list = Array.isArray(value) ? value : [value];
  return withElements(
    present(list).map((item) => textOf(item, run)),
    'string',
  );
}

function clamp(value: bigint): number | bigint {
  const limit = 2n ** 63n;
  return narrow(value >= limit ? limit - 1n : value < -limit ? -limit : value);
}

/** Reads bytes as if they were characters, and writes them so too: what sprig does is what templates rely on. */
function withoutSpaces(text: string): string {
  const bytes = isAscii(text) ? text : encodeUtf8(text).toString('latin1');
  const kept = bytes.replace(byteSpace, '');
  return kept.length === bytes.length ? text : kept;
}

function truncate(count: number, text: string): string {
  const length = byteLength(text);
  if (count < 0 && length + count > 0) return sliceBytes(text, length + count, length);
  return count >= 0 && length > count ? sliceBytes(text, 0, count) : text;
}

function substring(start: number, end: number, text: string): string {
  const length = byteLength(text);
  const from = Math.max(start, 0);
  const to = start >= 0 && (end < 0 || end > length) ? length : end;
  checkBounds(from, to, length);
  return sliceBytes(text, from, to);
}

function abbreviate(text: string, left: number, width: number): string {
  const bytes = isAscii(text) ? text : encodeUtf8(text).toString('latin1');
  const short = abbreviateBytes(bytes, left, width);
  return bytes === text ? short : decodeUtf8(Buffer.from(short, 'latin1'));
}

function abbreviateBytes(text: string, left: number, width: number): string {
  const { length } = text;
  if (length <= width) return text;
  let offset = Math.min(left, length);
  if (length - offset < width - 3) offset = length - (width - 3);
  if (offset <= 4) return `${text.slice(0, width - 3)}...`;
  if (width < 7) return '';
  if (offset + width - 3 < length) {
    // An inner part too narrow for its own dots is lost, as upstream.
    return `...${width - 3 < 4 ? '' : abbreviateBytes(text.slice(offset), 0, width - 3)}`;
  }
  return `...${text.slice(length - (width - 3))}`;
}

function trimAll(cutset: string, text: string): string {
  const cut = new Set(cutset);
  const characters = [...text];
  let start = 0;
  let end = characters.length;
  while (start < end && cut.has(characters[start]!)) start++;
  while (end > start && cut.has(characters[end - 1]!)) end--;
  return characters.slice(start, end).join('');
}

function repeat(run: Run, text: string, count: number): string {
  if (count < 0) throw new CallFailure('strings: negative Repeat count');
  run.charge(text.length * count);
  return text.repeat(count);
}

function indent(run: Run, count: number, text: string): string {
  const pad = repeat(run, ' ', count);
  run.charge(text.length + pad.length * text.split('\n').length);
  return pad + text.replaceAll('\n', `\n${pad}`);
}

function replace(
  run: Run,
  { old, fresh, text }: { readonly old: string; readonly fresh: string; readonly text: string },
): string {
  if (old === '') {
    run.charge((text.length + 1) * (fresh.length + 1));
    return fresh + [...text].map((c) => c + fresh).join('');
  }
  const parts = text.split(old);
  run.charge(text.length + parts.length * fresh.length);
  return parts.join(fresh);
}

function splitText(run: Run, separator: string, text: string): string[] {
  run.charge(text.length * 8);
  return separator === '' ? [...text] : text.split(separator);
}

function splitLimited(run: Run, separator: string, count: number, text: string): string[] {
  if (count === 0) return [];
  const parts = splitText(run, separator, text);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

/** sprig's `split` answers a map with the keys _0, _1, ... */
function numbered(parts: readonly string[]): Value {
  const dict = createDict();
  parts.forEach((part, i) => {
    dict[`_${i}`] = part;
  });
  return withElements(dict, 'string');
}

interface Wrapping {
  readonly width: number;
  readonly newLine: string;
  /** Words longer than the width are cut. */
  readonly isHard: boolean;
}

function wrapText(run: Run, text: string, { width, newLine, isHard }: Wrapping): string {
  const limit = Math.max(width, 1);
  const bytes = isAscii(text) ? text : encodeUtf8(text).toString('latin1');
  const separator = isAscii(newLine) ? newLine : encodeUtf8(newLine).toString('latin1');
  run.charge(bytes.length * (separator.length + 1));
  let offset = 0;
  let wrapped = '';
  while (bytes.length - offset > limit) {
    if (bytes[offset] === ' ') {
      offset++;
      continue;
    }
    const space = bytes.lastIndexOf(' ', limit + offset);
    if (space >= offset) {
      wrapped += bytes.slice(offset, space) + separator;
      offset = space + 1;
    } else if (isHard) {
      wrapped += bytes.slice(offset, offset + limit) + separator;
      offset += limit;
    } else {
      const next = bytes.indexOf(' ', offset + limit);
      if (next === -1) break;
      wrapped += bytes.slice(offset, next) + separator;
      offset = next + 1;
    }
  }
  wrapped += bytes.slice(offset);
  return bytes === text && separator === newLine ? wrapped : decodeUtf8(Buffer.from(wrapped, 'latin1'));
}

/** A name that Kubernetes takes as a DNS label. */
function kubernetesName(name: string): string {
  const label = toLower(name)
    .replace(/[^a-z0-9-]/gu, '-')
    .replace(/^-+/, '')
    .replace(/-+$/, '')
    .slice(0, 63);
  return label.replace(/-+$/, '') || 'unnamed';
}
