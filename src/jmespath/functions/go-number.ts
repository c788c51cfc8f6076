import { invalid } from '../errors.ts';

const decimal = /^[+-]?(?:[\d_]+\.?[\d_]*|\.[\d_]+)(?:[eE][+-]?[\d_]+)?$/;
const hexadecimal = /^([+-]?)0[xX]([\da-fA-F_]*)\.?([\da-fA-F_]*)[pP]([+-]?[\d_]+)$/;

/** Reads a number the way Go's `strconv.ParseFloat` does; undefined when it is none, or not finite. */
export function parseGoFloat(text: string): number | undefined {
  if (!areUnderscoresFine(text)) return undefined;
  let value: number | undefined;
  if (decimal.test(text) && /\d/.test(text.split(/[eE]/)[0] as string)) value = Number(text.replaceAll('_', ''));
  else value = parseHexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

// An underscore may only stand between two digits, or between the base prefix and a digit.
function areUnderscoresFine(text: string): boolean {
  if (!text.includes('_')) return true;
  return /^0[xX]/.test(text.replace(/^[+-]/, ''))
    ? !/(?<![\da-fA-FxX])_|_(?![\da-fA-F])/.test(text)
    : !/(?<!\d)_|_(?!\d)/.test(text);
}

function parseHexadecimal(text: string): number | undefined {
  const found = hexadecimal.exec(text.replaceAll('_', ''));
  if (!found) return undefined;
  const [, sign, whole = '', fraction = '', exponent] = found;
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const magnitude = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}

/**
 * A number as text where Kyverno turns a number into text for a pattern or a key: the shortest decimal that names
 * the same single-precision value, without exponent. Integers beyond 2^24 lose digits there, and so they do here.
 */
function renderSingle(value: number | bigint): string {
  const single = Math.fround(Number(value));
  if (!Number.isFinite(single)) return single > 0 ? '+Inf' : '-Inf';
  for (let digits = 1; digits < 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return withoutExponent(text);
  }
  return withoutExponent(single.toPrecision(9));
}

function withoutExponent(text: string): string {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const integer = digits.slice(0, Math.max(point, 0)).padEnd(point, '0') || '0';
  const rest = (point < 0 ? '0'.repeat(-point) + digits : digits.slice(point)).replace(/0+$/, '');
  return sign + integer + (rest === '' ? '' : `.${rest}`);
}

/** Text of a scalar as Kyverno's functions take it; undefined for null, lists and objects. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return renderSingle(value);
  return typeof value === 'boolean' ? String(value) : undefined;
}

/** Refuses numbers that JSON cannot carry. */
export function finite(value: number): number {
  if (!Number.isFinite(value)) throw invalid('the result is not a finite number');
  return value;
}

/** An integer argument, or a failure that names the value. */
export function integer(value: number | bigint): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw invalid(`expected an integer number but got: ${number}`);
  return number;
}
