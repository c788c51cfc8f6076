import { isJsonObject } from '../../base/index.ts';
import type { Spend } from './compare.ts';

/** Longer values are truncated in messages. */
const maxLength = 1000;

/** A value that was found, as Kubernetes' field errors show it: JSON, but for scalars. */
export function renderFound(value: unknown, spend: Spend): string {
  if (typeof value === 'string') return cut(quote(clip(value)));
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : float(value);
  return cut(write(value, { spend, ...jsonForm }, 0));
}

/** A value that was expected, in Go's syntax. */
export function renderExpected(value: unknown, spend: Spend): string {
  if (value === null || value === undefined) return '<nil>';
  return cut(write(value, { spend, ...goForm }, 0));
}

interface Form {
  readonly list: readonly [open: string, glue: string, close: string];
  readonly map: readonly [open: string, glue: string, close: string];
  readonly text: (value: string) => string;
  readonly number: (value: number) => string;
  readonly nothing: string;
}

const jsonForm: Form = {
  list: ['[', ',', ']'],
  map: ['{', ',', '}'],
  text: (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, unicode),
  number: String,
  nothing: 'null',
};

const goForm: Form = {
  list: ['[]interface {}{', ', ', '}'],
  map: ['map[string]interface {}{', ', ', '}'],
  text: quote,
  number: float,
  nothing: 'interface {}(nil)',
};

function write(value: unknown, form: Form & { readonly spend: Spend }, depth: number): string {
  form.spend(1);
  if (typeof value === 'string') return form.text(clip(value));
  if (typeof value === 'number') return form.number(value);
  // Deeper values would be truncated anyway.
  if (depth > maxLength || value === null || value === undefined) return form.nothing;
  if (Array.isArray(value)) {
    const [open, glue, close] = form.list;
    return `${open}${value.map((item) => write(item, form, depth + 1)).join(glue)}${close}`;
  }
  if (!isJsonObject(value)) return String(value);
  const [open, glue, close] = form.map;
  const keys = Object.keys(value).sort();
  return `${open}${keys.map((key) => `${form.text(clip(key))}:${write(value[key], form, depth + 1)}`).join(glue)}${close}`;
}

// Do not quote text that is truncated afterwards.
const clip = (text: string) => (text.length <= maxLength ? text : text.slice(0, maxLength));

function cut(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

const unicode = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** As Go's `%q`. */
function quote(text: string): string {
  return JSON.stringify(text)
    .replace(/\\u0007/g, '\\a')
    .replace(/\\u000b/g, '\\v')
    .replace(/\\u00([01][0-9a-f])/g, '\\x$1')
    .replace(/[\u2028\u2029]/g, unicode)
    .replaceAll('\x7f', '\\x7f');
}

/** As Go's `%v` of a float: with an exponent from a million on. */
function float(value: number): string {
  const [mantissa, exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
