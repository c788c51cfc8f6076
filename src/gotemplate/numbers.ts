/** Texts to numbers by Go's rules (`strconv`), which are neither JavaScript's nor JSON's. */

const radixPrefixes: Readonly<Record<string, number>> = { x: 16, X: 16, o: 8, O: 8, b: 2, B: 2 };
const digitClasses: Readonly<Record<number, string>> = { 2: '01', 8: '0-7', 10: '0-9', 16: '0-9a-fA-F' };

/** `ParseInt` without its range; base 0 reads prefixes and underscores. Undefined when the text is no integer. */
export function parseIntegerText(text: string, base: 0 | 8 | 10): bigint | undefined {
  const sign = /^[+-]/.test(text) ? text[0] : '';
  let digits = text.slice(sign!.length);
  let radix: number = base;
  if (base === 0) {
    const prefixed = digits[0] === '0' ? radixPrefixes[digits[1] ?? ''] : undefined;
    radix = prefixed ?? (digits.length > 1 && digits[0] === '0' ? 8 : 10);
    if (digits.includes('_') && !hasGoodUnderscores(digits)) return undefined;
    digits = (prefixed ? digits.slice(2) : digits).replaceAll('_', '');
  }
  if (!new RegExp(`^[${digitClasses[radix]}]+$`).test(digits)) return undefined;
  const magnitude = BigInt({ 2: '0b', 8: '0o', 10: '', 16: '0x' }[radix] + digits);
  return sign === '-' ? -magnitude : magnitude;
}

/** `ParseFloat`; undefined when the text is no number or out of range. */
export function parseFloatText(text: string): number | undefined {
  const special = /^[+-]?(?:inf(?:inity)?|nan)$/i.exec(text);
  if (special) return /nan/i.test(text) ? Number.NaN : text.startsWith('-') ? -Infinity : Infinity;
  const hex = /^([+-]?)0x([0-9a-f_]*)\.?([0-9a-f_]*)p([+-]?\d+)$/i.exec(text);
  if (hex) return parseHexFloat(hex);
  const isDecimal = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  if (!isDecimal || text.includes('_')) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function parseHexFloat([text, sign, whole = '', fraction = '', exponent]: RegExpExecArray): number | undefined {
  if (text.includes('_') || whole + fraction === '') return undefined;
  const mantissa = Number(`0x${whole}${fraction}`);
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  return Number.isFinite(value) ? (sign === '-' ? -value : value) : undefined;
}

/** An underscore stands between two digits, or between a base prefix and a digit. */
function hasGoodUnderscores(digits: string): boolean {
  const body = /^0[xob]/i.test(digits) ? `0${digits.slice(2)}` : digits;
  return /^[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*$/.test(body);
}
