import { quoteGo } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { dynType, listType, stringType } from '../types.ts';
import { checkSize } from '../values/effort.ts';
import { findKey, isMap, mapKeys } from '../values/map.ts';
import { renderDouble } from '../values/numbers.ts';
import { renderSeconds, renderTimestamp } from '../values/time.ts';
import {
  CelBytes,
  CelDuration,
  CelError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  doubleOf,
  isDouble,
  isInt,
  typeNameOf,
} from '../values/values.ts';
import { declare, member } from './declare.ts';

/** A clause of a format: the letter, and how many digits behind the point. */
interface Clause {
  readonly letter: string;
  readonly precision: number | undefined;
}

/** Stops a format that cannot be written. */
export class FormatError extends Error {
  constructor(
    message: string,
    /** Which argument is to blame, if one is. */
    readonly argument?: number,
  ) {
    super(message);
  }
}

const letters = 'sdfebxXo';
/** More digits than any double needs; more are refused, as they cost time that is not counted. */
const maxPrecision = 100;
const maxInt = 2n ** 63n - 1n;

/**
 * The text and the clauses of a format in their order; a clause without an argument is refused before it is read. What
 * the compiler checks, `isChecked`, is first of all refused for a percent sign at the end.
 */
export function* parseFormat(text: string, args: number, isChecked = false): Generator<string | Clause> {
  let used = 0;
  let at = 0;
  for (let mark = text.indexOf('%'); mark !== -1; mark = text.indexOf('%', at)) {
    if (mark > at) yield text.slice(at, mark);
    if (text[mark + 1] === '%') {
      yield '%';
      at = mark + 2;
      continue;
    }
    if (isChecked && mark + 1 === text.length) throw new FormatError(endOfString);
    if (used >= args) throw new FormatError(`index ${used} out of range`);
    used++;
    const { clause, length } = parseClause(text.slice(mark + 1));
    yield clause;
    at = mark + 1 + length;
  }
  if (at < text.length) yield text.slice(at);
}

const endOfString = 'unexpected end of string';

function parseClause(text: string): { clause: Clause; length: number } {
  if (text === '') throw new FormatError(endOfString);
  const fail = (message: string) => new FormatError(`could not parse formatting clause: ${message}`);
  let precision: number | undefined;
  let at = 0;
  if (text[0] === '.') {
    const digits = /^\d*/.exec(text.slice(1))?.[0] ?? '';
    at = digits.length + 1;
    if (at >= text.length) throw fail('error while parsing precision: could not find end of precision specifier');
    if (digits === '') {
      throw fail(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
      );
    }
    if (BigInt(digits) > maxInt) {
      const converting = `strconv.Atoi: parsing "${digits}": value out of range`;
      throw fail(`error while parsing precision: error while converting precision to integer: ${converting}`);
    }
    precision = Number(digits);
  }
  const letter = text[at] as string;
  // Go looks at the first byte of the letter.
  const byte = String.fromCharCode(Buffer.from(letter)[0] ?? 0);
  if (!letters.includes(letter)) throw fail(`unrecognized formatting clause "${byte}"`);
  return { clause: { letter, precision }, length: at + 1 };
}

/** `%s`, and the elements of lists and maps in it. */
function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  if (isDouble(value)) return renderDouble(doubleOf(value));
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof CelBytes) return Buffer.from(value.bytes).toString('utf8');
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelDuration) return renderSeconds(value);
  if (value instanceof CelTimestamp) return renderTimestamp(value);
  if (Array.isArray(value)) return `[${value.map(asElement).join(', ')}]`;
  if (isMap(value)) {
    const entries = mapKeys(value).map((key) => [asElement(key), asElement(findKey(value, key))] as const);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${key}:${item}`).join(', ')}}`;
  }
  throw new FormatError(refusals['s']?.replace('%s', typeNameOf(value)) ?? '');
}

function asElement(value: unknown): string {
  if (typeof value === 'string') return quoteGo(value);
  if (value instanceof CelBytes) return `b${quoteGo(asText(value))}`;
  if (value instanceof CelDuration) return `duration(${quoteGo(renderSeconds(value))})`;
  if (value instanceof CelTimestamp) return `timestamp(${quoteGo(renderTimestamp(value))})`;
  if (isDouble(value)) {
    const number = doubleOf(value);
    return Number.isFinite(number) ? toFixedEven(number, 6) : quoteGo(fixedName(number));
  }
  return asText(value);
}

const fixedName = (value: number) => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf');

export const refusals: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given %s',
  d: 'decimal clause can only be used on integers, was given %s',
  f: 'fixed-point clause can only be used on doubles, was given %s',
  e: 'scientific clause can only be used on doubles, was given %s',
  b: 'only integers and bools can be formatted as binary, was given %s',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given %s',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given %s',
  o: 'octal clause can only be used on integers, was given %s',
};

const specials: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

/** Whether numbers are written as English texts have them, with groups of digits: Kubernetes' version does so. */
type Style = 'english' | 'plain';

function formatValue(value: unknown, { letter, precision }: Clause, style: Style): string {
  const refuse = () => new FormatError(refusals[letter]?.replace('%s', typeNameOf(value)) ?? '');
  const whole = isInt(value) ? BigInt(value) : value instanceof CelUint ? value.value : undefined;
  switch (letter) {
    case 's':
      return asText(value);
    case 'f':
    case 'e': {
      const special = typeof value === 'string' && Object.hasOwn(specials, value) ? specials[value] : undefined;
      const number = special ?? (isDouble(value) ? doubleOf(value) : undefined);
      if (number === undefined) throw refuse();
      if (precision !== undefined && precision > maxPrecision)
        throw new FormatError(`precision ${precision} exceeds maximum allowed precision ${maxPrecision}`);
      return letter === 'f' ? fixed(number, precision ?? 6, style) : scientific(number, precision ?? 6, style);
    }
    case 'd':
      if (whole === undefined) throw refuse();
      return String(whole);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (whole === undefined) throw refuse();
      return whole.toString(2);
    case 'o':
      if (whole === undefined) throw refuse();
      return whole.toString(8);
    default: {
      const hex = typeof value === 'string' ? Buffer.from(value).toString('hex') : hexOf(value, whole);
      if (hex === undefined) throw refuse();
      return letter === 'X' ? hex.toUpperCase() : hex;
    }
  }
}

const hexOf = (value: unknown, whole: bigint | undefined) =>
  value instanceof CelBytes ? Buffer.from(value.bytes).toString('hex') : whole?.toString(16);

function fixed(value: number, precision: number, style: Style): string {
  if (!Number.isFinite(value)) return special(value, style);
  const text = toFixedEven(value, precision);
  const digits = text.includes('e') ? `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}` : text;
  return style === 'plain' ? digits : group(digits);
}

/** What lies exactly between two is rounded to the even one; `toFixed` takes the greater. */
function toFixedEven(value: number, precision: number): string {
  const rounded = value.toFixed(precision);
  const exact = value.toFixed(Math.min(100, precision + 30));
  const kept = exact.slice(0, exact.indexOf('.') + precision + 1).replace(/\.$/, '');
  const rest = exact.slice(exact.indexOf('.') + precision + 1);
  return /^50*$/.test(rest) && /[02468]$/.test(kept) ? kept : rounded;
}

function group(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const special = (value: number, style: Style) =>
  style === 'plain' || Number.isNaN(value)
    ? Number.isNaN(value)
      ? 'NaN'
      : value > 0
        ? 'Infinity'
        : '-Infinity'
    : value > 0
      ? '∞'
      : '-∞';

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: number, precision: number, style: Style): string {
  if (!Number.isFinite(value))
    return style === 'plain' ? special(value, style) : special(value, style).padStart(precision);
  const [digits = '', power = ''] = value.toExponential(style === 'plain' ? precision : 6).split('e');
  const exponent = power.slice(1).padStart(2, '0');
  if (style === 'plain') return `${digits}e${power[0]}${exponent}`;
  const raised = [...exponent].map((digit) => superscripts[Number(digit)]).join('');
  // Kubernetes' version takes the precision for the width.
  return `${digits}×10${power[0] === '-' ? '⁻' : ''}${raised}`.padStart(precision);
}

function format(text: string, args: readonly unknown[], style: Style): string | CelError {
  let result = '';
  let used = 0;
  try {
    for (const part of parseFormat(text, args.length)) {
      result += typeof part === 'string' ? part : written(args[used++], part, style);
      checkSize(result.length);
    }
    return result;
  } catch (thrown) {
    if (thrown instanceof FormatError) return new CelError(thrown.message);
    throw thrown;
  }
}

function written(value: unknown, clause: Clause, style: Style): string {
  try {
    return formatValue(value, clause, style);
  } catch (thrown) {
    if (thrown instanceof FormatError) throw new FormatError(`error during formatting: ${thrown.message}`);
    throw thrown;
  }
}

export const formatFunction = (style: Style): FunctionDecl =>
  declare(
    'format',
    member('string_format', [stringType, listType(dynType)], stringType, (text: string, args: readonly unknown[]) =>
      format(text, args, style),
    ),
  );
