import { cleanPath, isAscii, toLower, toUpper } from '../../base/index.ts';
import { invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import { compareText } from '../values.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Kyverno's functions on text. Lengths and positions count code points, as Go's runes. */
export const textFunctions: readonly FunctionSpec[] = [
  define('compare', ['string', 'string'], (run, a: string, b: string) => {
    run.chargeText(Math.min(a.length, b.length));
    return compareText(a, b);
  }),
  define('equal_fold', ['string', 'string'], (run, a: string, b: string) => {
    run.chargeText(a.length + b.length);
    return a === b || toLower(toUpper(a)) === toLower(toUpper(b));
  }),
  define('to_upper', ['string'], (run, text: string) => toUpper(paid(text, run))),
  define('to_lower', ['string'], (run, text: string) => toLower(paid(text, run))),
  define('trim', ['string', 'string'], (run, text: string, characters: string) => trim(paid(text, run), characters)),
  define('trim_prefix', ['string', 'string'], (_, text: string, prefix: string) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  define('split', ['string', 'string'], (run, text: string, separator: string) => {
    run.chargeText(text.length);
    const parts = separator === '' ? [...text] : text.split(separator);
    run.charge(parts.length);
    return parts;
  }),
  define(
    'replace',
    ['string', 'string', 'string', 'number'],
    (run, text: string, from: string, to: string, n: number) => replace(text, from, to, Math.trunc(Number(n)), run),
  ),
  define('replace_all', ['string', 'string', 'string'], (run, text: string, from: string, to: string) =>
    replace(text, from, to, -1, run),
  ),
  define('truncate', ['string', 'number'], (run, text: string, length: number | bigint) => {
    const limit = Math.trunc(Number(length));
    if (limit < 1) return '';
    if (text.length <= limit) return text;
    return isAscii(paid(text, run)) ? text.slice(0, limit) : [...text].slice(0, limit).join('');
  }),
  define('to_boolean', ['string'], (_, text: string) => {
    const lower = text.toLowerCase();
    if (lower === 'true') return true;
    if (lower === 'false') return false;
    throw invalid(`lowercase argument must be 'true' or 'false' (provided: '${text.slice(0, 100)}')`);
  }),
  // As Go joins one element: empty stays empty.
  define('path_canonicalize', ['string'], (run, text: string) => (text === '' ? '' : cleanPath(paid(text, run)))),
];

function paid(text: string, run: Run): string {
  run.chargeText(text.length);
  return text;
}

function trim(text: string, characters: string): string {
  const cut = new Set(characters);
  const all = [...text];
  let start = 0;
  let end = all.length;
  while (start < end && cut.has(all[start] as string)) start++;
  while (end > start && cut.has(all[end - 1] as string)) end--;
  return all.slice(start, end).join('');
}

function replace(text: string, from: string, to: string, limit: number, run: Run): string {
  run.chargeText(text.length);
  if (limit === 0 || from === to) return text;
  if (from === '') {
    // Nothing is found before every character and at the end.
    const all = [...text];
    const count = limit < 0 ? all.length + 1 : Math.min(limit, all.length + 1);
    run.chargeText(text.length + count * to.length);
    const head = all.slice(0, count).map((c) => to + c);
    return head.join('') + (count > all.length ? to : all.slice(count).join(''));
  }
  const parts = text.split(from);
  const count = limit < 0 ? parts.length - 1 : Math.min(limit, parts.length - 1);
  run.chargeText(text.length + count * to.length);
  if (count === parts.length - 1) return parts.join(to);
  return parts.slice(0, count + 1).join(to) + from + parts.slice(count + 1).join(from);
}
