import { SupercargoError } from '../base/index.ts';

export class QuantityError extends SupercargoError {}

type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** An exact amount: `100m`, `1.5Gi`, `1e3`. The smallest unit is a billionth. */
export interface Quantity {
  readonly nanos: bigint;
  /** The format of the input, kept for the output. */
  readonly format: QuantityFormat;
  /** The original text, where the API server would keep it. */
  readonly text?: string;
}

const nanosPerUnit = 10n ** 9n;
/** Only amounts with a binary suffix are truncated. */
const maxBinary = (2n ** 63n - 1n) * nanosPerUnit;
const decimals = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binaries = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const pattern = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;

/** More digits than this are an attack, not an amount. */
const maxExponent = 300;

/** Parses a quantity as the API server does: fractions of a billionth are rounded up. */
export function parseQuantity(input: string | number | bigint): Quantity {
  const text = String(input);
  const found = text === '' ? null : pattern.exec(text);
  if (!found) {
    throw new QuantityError(
      'object-quantity-invalid',
      `${JSON.stringify(text)}: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    );
  }
  const [, sign, strippedWhole = '', fraction = '', suffix = ''] = found;
  const scale = parseSuffix(suffix, text);
  const digits = (strippedWhole || '0') + fraction;
  const { nanos, isExact } = amount(BigInt(digits), digits.length, fraction.length, scale);
  const format = scale.format === 'BinarySI' && nanos > 0n && nanos < nanosPerUnit ? 'DecimalSI' : scale.format;
  const isKept = text === '0' || (isExact && keepsText(digits, fraction.length, scale));
  return { nanos: sign === '-' ? -nanos : nanos, format, ...(isKept ? { text } : {}) };
}

interface Scale {
  readonly format: QuantityFormat;
  readonly exponent: number;
}

function parseSuffix(suffix: string, text: string): Scale {
  const decimal = decimals.indexOf(suffix);
  if (decimal !== -1) return { format: 'DecimalSI', exponent: decimal * 3 - 9 };
  const binary = binaries.indexOf(suffix);
  if (binary !== -1) return { format: 'BinarySI', exponent: binary * 10 + 10 };
  const [, exponent] = /^[eE]([+-]?\d+)$/.exec(suffix) ?? [];
  if (exponent === undefined || Math.abs(Number(exponent)) > maxExponent) {
    throw new QuantityError('object-quantity-invalid', `${JSON.stringify(text)}: unable to parse quantity's suffix`);
  }
  return { format: 'DecimalExponent', exponent: Number(exponent) };
}

/** Whether the amount fits the API server's fast path only matters for the text that it keeps. */
function amount(digits: bigint, length: number, decimalsCount: number, { format, exponent }: Scale) {
  if (format === 'BinarySI') {
    const nanos = ceilDivide(digits * 2n ** BigInt(exponent) * nanosPerUnit, 10n ** BigInt(decimalsCount));
    const isFast = decimalsCount === 0 && 14 - length - Math.trunc((exponent * 3) / 10) >= 0;
    if (nanos > maxBinary) return { nanos: maxBinary, isExact: false };
    return { nanos, isExact: isFast };
  }
  const shift = exponent - decimalsCount + 9;
  if (shift >= 0) return { nanos: digits * 10n ** BigInt(shift), isExact: length <= 18 };
  return { nanos: ceilDivide(digits, 10n ** BigInt(-shift)), isExact: false };
}

function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}

/** The API server keeps some texts that are not quite canonical, such as `1.500` and `+5`. */
function keepsText(digits: string, decimalsCount: number, { format, exponent }: Scale): boolean {
  if (format === 'BinarySI') return BigInt(digits) % 8n !== 0n;
  return (exponent - decimalsCount) % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

/** Renders as `resource.Quantity` does. */
export function renderQuantity({ nanos, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (nanos === 0n) return '0';
  const isSmall = nanos > -1024n * nanosPerUnit && nanos < 1024n * nanosPerUnit;
  if (format === 'BinarySI' && !isSmall && nanos % nanosPerUnit === 0n) return renderBinary(nanos / nanosPerUnit);
  return renderDecimal(nanos, format);
}

function renderBinary(units: bigint): string {
  let power = 0;
  while (power < binaries.length && units % 1024n === 0n) {
    units /= 1024n;
    power++;
  }
  return `${units}${power === 0 ? '' : binaries[power - 1]}`;
}

function renderDecimal(nanos: bigint, format: QuantityFormat): string {
  // The suffixes end at E; upstream drops the power beyond it from the text, which is of no use.
  const highest = format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : 18;
  let exponent = -9;
  while (exponent < highest && nanos % 1000n === 0n) {
    nanos /= 1000n;
    exponent += 3;
  }
  if (format === 'DecimalExponent') return `${nanos}${exponent === 0 ? '' : `e${exponent}`}`;
  return `${nanos}${decimals[exponent / 3 + 3]}`;
}

/** The sum in the format of `a`; of `b` when `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

export function multiplyQuantity(quantity: Quantity, factor: number | bigint): Quantity {
  return { nanos: quantity.nanos * BigInt(factor), format: quantity.format };
}
