/** A quantity as the API server holds it: on its way through the library, how it is held decides what it answers. */
export interface Amount {
  readonly unscaled: bigint;
  /** The power of ten that it is to be multiplied by. */
  readonly exponent: number;
  /** A number of 64 bits with its scale; others are decimals of any size, of which none counts as an integer. */
  readonly isFast: boolean;
}

const form = /^[+-]?0*(\d*)(?:\.(\d*))?([eE]?[a-zA-Z]*)([+-]?\d*)$/;
const decimals = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binaries = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Digits of which any number has a place in 64 bits. */
const safeDigits = 18;
const maxInt = 2n ** 63n - 1n;
const minInt = -(2n ** 63n);

/** How a text that is a quantity of so many billionths is held. */
export function amountOf(text: string, nanos: bigint): Amount {
  const [, whole = '', fraction = '', suffix = '', power = ''] = form.exec(text) ?? [];
  const decimal: Amount =
    nanos === maxInt * nanosPerUnit ? { unscaled: maxInt, exponent: 0, isFast: false } : decimalOf(nanos);
  const digits = (whole === '' ? 1 : whole.length) + fraction.length;
  const binary = binaries.indexOf(suffix);
  if (binary >= 0) {
    const exponent = (binary + 1) * 10;
    const isFast = fraction === '' && 14 - digits - Math.trunc((exponent * 3) / 10) >= 0;
    return isFast ? { unscaled: nanos / nanosPerUnit, exponent: 0, isFast } : decimal;
  }
  const exponent = (power === '' ? decimals.indexOf(suffix) * 3 - 9 : Number(power)) - fraction.length;
  if (digits > safeDigits || exponent < -9) return decimal;
  const sign = text.startsWith('-') ? -1n : 1n;
  return { unscaled: sign * BigInt(`${whole}${fraction}` || '0'), exponent, isFast: true };
}

const nanosPerUnit = 10n ** 9n;
const decimalOf = (nanos: bigint): Amount => ({ unscaled: nanos, exponent: -9, isFast: false });

export const wholeAmount = (value: bigint): Amount => ({ unscaled: value, exponent: 0, isFast: true });

export function addAmounts(a: Amount, b: Amount): Amount {
  if (a.isFast && b.isFast) {
    if (b.unscaled === 0n) return a;
    if (a.unscaled === 0n) return b;
  }
  const exponent = Math.min(a.exponent, b.exponent);
  const [left, right] = [scaled(a, exponent), scaled(b, exponent)];
  const isFast = a.isFast && b.isFast && [left, right, left + right].every(fits);
  return { unscaled: left + right, exponent, isFast };
}

/** The least number of 64 bits has no opposite: it stays as it is, as it does in Go. */
const negated = (amount: Amount): Amount => ({
  ...amount,
  unscaled: amount.isFast ? BigInt.asIntN(64, -amount.unscaled) : -amount.unscaled,
});

export function subtractAmounts(a: Amount, b: Amount): Amount {
  const sum = addAmounts(a, negated(b));
  // What overflows is subtracted as decimals, where that number has an opposite.
  return sum.isFast || !(a.isFast && b.isFast)
    ? sum
    : addAmounts({ ...a, isFast: false }, { ...b, unscaled: -b.unscaled });
}

const scaled = ({ unscaled, exponent: own }: Amount, exponent: number) => unscaled * 10n ** BigInt(own - exponent);
const fits = (value: bigint) => value >= minInt && value <= maxInt;

export function compareAmounts(a: Amount, b: Amount): -1 | 0 | 1 {
  const exponent = Math.min(a.exponent, b.exponent);
  const [left, right] = [scaled(a, exponent), scaled(b, exponent)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The amount as an integer of 64 bits: only one that is held without a fraction, if it is zero. */
export function integerOf(amount: Amount): bigint | undefined {
  if (!amount.isFast || amount.exponent < 0) return undefined;
  const value = scaled(amount, 0);
  return fits(value) && !(amount.exponent > 0 && amount.unscaled === minInt) ? value : undefined;
}

export function approximateFloat({ unscaled, exponent }: Amount): number {
  return exponent === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${exponent}`);
}
