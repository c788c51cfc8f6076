import { isPrintable } from '../../base/index.ts';
import { encodeUtf8 } from '../utf8.ts';
import { formatFloat } from './float.ts';
import { canBackquote, quote, quoteRune } from './quote.ts';

/** What printing may cost: a few values that hold each other often enough print as more than any memory holds. */
export interface Budget {
  step(units?: number): void;
  charge(length: number): void;
}

/** For what is small by itself. */
export const unlimited: Budget = { step: () => {}, charge: () => {} };

/** What stood between the % and the verb. */
export class Flags {
  minus = false;
  plus = false;
  sharp = false;
  space = false;
  zero = false;
  /** `%+v` and `%#v`. */
  plusV = false;
  sharpV = false;
  width: number | undefined;
  precision: number | undefined;

  constructor(readonly budget: Budget) {}

  pad(text: string, zero = this.zero): string {
    if (!this.width) return text;
    const missing = this.width - countCharacters(text);
    if (missing <= 0) return text;
    if (this.minus) return text + ' '.repeat(missing);
    return (zero ? '0' : ' ').repeat(missing) + text;
  }

  text(text: string): string {
    return this.pad(this.truncate(text));
  }

  quoted(text: string): string {
    const cut = this.truncate(text);
    if (this.sharp && canBackquote(cut)) return this.pad(`\`${cut}\``);
    return this.pad(quote(cut, this.plus));
  }

  hexText(text: string, isUpper: boolean): string {
    const all = encodeUtf8(text);
    const bytes = this.precision === undefined ? all : all.subarray(0, this.precision);
    if (bytes.length === 0) return this.pad('');
    const prefix = this.sharp ? '0x' : '';
    const shown = this.space
      ? Array.from(bytes, (byte) => prefix + byte.toString(16).padStart(2, '0')).join(' ')
      : prefix + bytes.toString('hex');
    return this.pad(isUpper ? shown.toUpperCase() : shown);
  }

  integer(value: number | bigint, base: 2 | 8 | 10 | 16, verb: string): string {
    const isNegative = value < 0;
    let digits = isNegative ? (-value).toString(base) : value.toString(base);
    if (verb === 'X') digits = digits.toUpperCase();
    let precision = this.precision;
    // biome-ignore lint/suspicious/noDoubleEquals: 0 and 0n are both zero.
    if (precision === 0 && value == 0) return this.pad('', false);
    if (precision === undefined && this.zero && !this.minus && this.width !== undefined) {
      precision = this.width - (isNegative || this.plus || this.space ? 1 : 0);
    }
    digits = digits.padStart(precision ?? 0, '0');
    if (this.sharp && base === 2) digits = `0b${digits}`;
    if (this.sharp && base === 8 && !digits.startsWith('0')) digits = `0${digits}`;
    if (this.sharp && base === 16) digits = (verb === 'X' ? '0X' : '0x') + digits;
    if (verb === 'O') digits = `0o${digits}`;
    return this.pad((isNegative ? '-' : this.plus ? '+' : this.space ? ' ' : '') + digits, false);
  }

  character(value: number | bigint): string {
    return this.pad(String.fromCodePoint(characterOf(value)));
  }

  quotedCharacter(value: number | bigint): string {
    return this.pad(quoteRune(characterOf(value), this.plus));
  }

  unicode(value: number | bigint): string {
    const code = BigInt.asUintN(64, BigInt(value));
    const digits = code
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(this.precision ?? 4, 4), '0');
    const isShown = this.sharp && code <= 0x10ffffn && isPrintable(String.fromCodePoint(Number(code)));
    return this.pad(`U+${digits}${isShown ? ` '${String.fromCodePoint(Number(code))}'` : ''}`, false);
  }

  float(value: number, verb: 'e' | 'E' | 'f' | 'g' | 'G' | 'b' | 'x' | 'X', defaultPrecision: number): string {
    const precision = this.precision ?? defaultPrecision;
    let text = formatFloat(value, verb, precision);
    let sign = '+';
    if (text[0] === '-' || text[0] === '+') {
      sign = text[0];
      text = text.slice(1);
    }
    if (this.space && sign === '+' && !this.plus) sign = ' ';
    if (text === 'Inf' || text === 'NaN') {
      const isBare = (text === 'NaN' && !this.space && !this.plus) || (sign === '+' && !this.plus && text === 'NaN');
      return this.pad(isBare ? text : sign + text, false);
    }
    if (this.sharp && verb !== 'b') text = withPoint(text, verb, precision);
    if (!this.plus && sign === '+') return this.pad(text);
    if (this.zero && !this.minus && this.width !== undefined && this.width > text.length + 1) {
      return sign + text.padStart(this.width - 1, '0');
    }
    return this.pad(sign + text);
  }

  private truncate(text: string): string {
    if (this.precision === undefined || text.length <= this.precision) return text;
    return [...text].slice(0, this.precision).join('');
  }
}

/** The # flag of floats: always a decimal point, and with %g the trailing zeros. */
function withPoint(text: string, verb: string, precision: number): string {
  const isHex = verb === 'x' || verb === 'X';
  const tailAt = text.search(isHex ? /p/i : /e/i);
  let head = tailAt === -1 ? text : text.slice(0, tailAt);
  const tail = tailAt === -1 ? '' : text.slice(tailAt);
  let missing = 'gGx'.includes(verb) ? (precision === -1 ? 6 : precision) : 0;
  const digits = head.replace('.', '').replace(/^0+/, '');
  missing -= digits.length;
  if (!head.includes('.')) {
    if (head === '0') missing--;
    head += '.';
  }
  return head + '0'.repeat(Math.max(missing, 0)) + tail;
}

function characterOf(value: number | bigint): number {
  const code = Number(value);
  return code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0xfffd : code;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
