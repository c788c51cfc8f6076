import type { FunctionDecl } from '../environment.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from '../types.ts';
import { type Int, intOf, maxUint, renderDouble, uintOf } from '../values/numbers.ts';
import { sizeOf } from '../values/size.ts';
import { parseCelDuration, parseTimestamp, renderSeconds, renderTimestamp, timestampOf } from '../values/time.ts';
import {
  CelBytes,
  type CelDouble,
  type CelDuration,
  CelError,
  type CelTimestamp,
  CelTypeValue,
  CelUint,
  double,
  doubleOf,
  typeNameOf,
} from '../values/values.ts';
import { A, declare, declareSingleton, form, listOfA, mapOfAB, member } from './declare.ts';

const refused = (from: string, to: string) => new CelError(`type conversion error from '${from}' to '${to}'`);
const intOverflow = new CelError('integer overflow');
const uintOverflow = new CelError('unsigned integer overflow');

const same = <T>(value: T): T => value;

function boolOf(text: string): boolean | CelError {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : refused('string', 'bool');
}

function doubleToInt(value: number | CelDouble): Int | CelError {
  const number = doubleOf(value);
  if (Number.isNaN(number) || number <= -(2 ** 63) || number >= 2 ** 63) return intOverflow;
  return intOf(BigInt(Math.trunc(number))) ?? intOverflow;
}

function doubleToUint(value: number | CelDouble): CelUint | CelError {
  const number = doubleOf(value);
  if (Number.isNaN(number) || number < 0 || number >= 2 ** 64) return uintOverflow;
  return new CelUint(BigInt(Math.trunc(number)));
}

function textToInt(text: string): Int | CelError {
  const failed = refused('string', 'int');
  return /^[+-]?\d+$/.test(text) && text.length < 1000 ? (intOf(BigInt(text.replace('+', ''))) ?? failed) : failed;
}

function textToUint(text: string): CelUint | CelError {
  const value = /^\d+$/.test(text) && text.length < 1000 ? BigInt(text) : -1n;
  return value < 0n || value > maxUint ? refused('string', 'uint') : new CelUint(value);
}

const decimalText = /^[+-]?(\d+(_?\d+)*\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const hexText = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/;

/** One underscore may stand between two digits, and behind the prefix of hexadecimal ones. */
const misplacedUnderscore = (text: string) =>
  /^[+-]?0x/i.test(text) ? /(?<!^[+-]?0x|[0-9a-f])_|_(?![0-9a-f])/i.test(text) : /(?<![0-9])_|_(?![0-9])/.test(text);

/** As Go's strconv.ParseFloat: names of infinity and NaN in any case, hexadecimal with an exponent; no overflow. */
function textToDouble(written: string): number | CelDouble | CelError {
  const failed = refused('string', 'double');
  if (misplacedUnderscore(written)) return failed;
  const text = written.replaceAll('_', '');
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const hex = hexText.exec(text);
  if (hex) {
    const [, sign, whole = '', fraction = '', power] = hex;
    if (whole + fraction === '') return failed;
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length);
    return Number.isFinite(value) ? double(sign === '-' ? -value : value) : failed;
  }
  if (!decimalText.test(text)) return failed;
  const value = Number(text);
  return Number.isFinite(value) ? double(value) : failed;
}

function bytesToText({ bytes }: CelBytes): string | CelError {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function secondsToTime(seconds: Int): CelTimestamp | CelError {
  return timestampOf(Number(seconds), 0);
}

const typeOf = (value: unknown) => new CelTypeValue(typeNameOf(value));

export const conversionFunctions: readonly FunctionDecl[] = [
  declareSingleton('type', typeOf, undefined, form('type', [A], typeType(A))),
  declareSingleton('dyn', same, undefined, form('to_dyn', [A], dynType)),
  declare(
    'bool',
    form('bool_to_bool', [boolType], boolType, same),
    form('string_to_bool', [stringType], boolType, boolOf),
  ),
  declare(
    'bytes',
    form('bytes_to_bytes', [bytesType], bytesType, same),
    form('string_to_bytes', [stringType], bytesType, (text: string) => new CelBytes(new TextEncoder().encode(text))),
  ),
  declare(
    'double',
    form('double_to_double', [doubleType], doubleType, same),
    form('int64_to_double', [intType], doubleType, (value: Int) => double(Number(value))),
    form('string_to_double', [stringType], doubleType, textToDouble),
    form('uint64_to_double', [uintType], doubleType, ({ value }: CelUint) => double(Number(value))),
  ),
  declare(
    'duration',
    form('duration_to_duration', [durationType], durationType, same),
    form('string_to_duration', [stringType], durationType, parseCelDuration),
  ),
  declare(
    'int',
    form('int64_to_int64', [intType], intType, same),
    form('double_to_int64', [doubleType], intType, doubleToInt),
    form('duration_to_int64', [durationType], intType, ({ nanos }: CelDuration) => intOf(nanos) ?? intOverflow),
    form('string_to_int64', [stringType], intType, textToInt),
    form('timestamp_to_int64', [timestampType], intType, ({ seconds }: CelTimestamp) => seconds),
    form('uint64_to_int64', [uintType], intType, ({ value }: CelUint) => intOf(value) ?? intOverflow),
  ),
  declare(
    'string',
    form('string_to_string', [stringType], stringType, same),
    form('bool_to_string', [boolType], stringType, String),
    form('bytes_to_string', [bytesType], stringType, bytesToText),
    form('double_to_string', [doubleType], stringType, (value: number | CelDouble) => renderDouble(doubleOf(value))),
    form('duration_to_string', [durationType], stringType, renderSeconds),
    form('int64_to_string', [intType], stringType, String),
    form('timestamp_to_string', [timestampType], stringType, renderTimestamp),
    form('uint64_to_string', [uintType], stringType, ({ value }: CelUint) => String(value)),
  ),
  declare(
    'timestamp',
    form('timestamp_to_timestamp', [timestampType], timestampType, same),
    form('int64_to_timestamp', [intType], timestampType, secondsToTime),
    form('string_to_timestamp', [stringType], timestampType, parseTimestamp),
  ),
  declare(
    'uint',
    form('uint64_to_uint64', [uintType], uintType, same),
    form('double_to_uint64', [doubleType], uintType, doubleToUint),
    form('int64_to_uint64', [intType], uintType, (value: Int) => uintOf(BigInt(value))),
    form('string_to_uint64', [stringType], uintType, textToUint),
  ),
  declareSingleton(
    'size',
    (value) => sizeOf(value),
    (value) => sizeOf(value) !== undefined,
    ...[
      ['bytes', bytesType],
      ['list', listOfA],
      ['map', mapOfAB],
      ['string', stringType],
    ].flatMap(([name, type]) => [
      form(`size_${name}`, [type as never], intType),
      member(`${name}_size`, [type as never], intType),
    ]),
  ),
];
