import { parseQuantity, type Quantity, QuantityError } from '../../object/index.ts';
import { invalid } from '../errors.ts';

/** A quantity, and how many decimals Kubernetes keeps of the way it was written: a quotient is cut there. */
export interface OperandQuantity extends Quantity {
  readonly decimals?: number;
}

const nanosPerUnit = 1_000_000_000n;
/** Where binary quantities are cut off. */
const maxBinaryNanos = (2n ** 63n - 1n) * nanosPerUnit;

/** Undefined for a text that is no quantity. */
export function parseOperandQuantity(text: string): OperandQuantity | undefined {
  // No quantity has these letters and most durations do: an exception less.
  if (/[sh]/.test(text)) return undefined;
  try {
    const quantity = parseQuantity(text);
    return { ...quantity, decimals: decimalsOf(text, quantity) };
  } catch (thrown) {
    if (thrown instanceof QuantityError) return undefined;
    throw thrown;
  }
}

/** Amounts that fit an int64 are kept as written, `10M` as ten millions without decimals; the others to nine places. */
function decimalsOf(text: string, { nanos }: Quantity): number {
  const found = /^[+-]?0*(\d*)(?:\.(\d*))?(.*)$/.exec(text);
  const [, whole = '', fraction = '', suffix = ''] = found ?? [];
  const length = (whole.length || 1) + fraction.length;
  if (suffix.endsWith('i')) {
    if (nanos === maxBinaryNanos || nanos === -maxBinaryNanos) return 0;
    const power = 10 * (1 + 'KMGTPE'.indexOf(suffix[0] as string));
    return fraction === '' && 14 - length - Math.trunc((power * 3) / 10) >= 0 ? 0 : 9;
  }
  const decimals = fraction.length - exponentOf(suffix);
  return (length <= 18 && decimals <= 9) || nanos === 0n ? decimals : 9;
}

function exponentOf(suffix: string): number {
  if (/^[eE]./.test(suffix)) return Number(suffix.slice(1));
  return suffix === '' ? 0 : 3 * ('num_kMGTPE'.indexOf(suffix) - 3);
}

/** Exact down to the billionth, then away from zero. */
export function multiplyByNumber(quantity: OperandQuantity, factor: number): OperandQuantity {
  const product = quantity.nanos * quantityOf(factor).nanos;
  const rest = product % nanosPerUnit;
  const away = rest === 0n ? 0n : rest < 0n ? -1n : 1n;
  return { nanos: product / nanosPerUnit + away, format: quantity.format };
}

/** Cut, not rounded, to the finer of the two ways of writing; the divisor is not zero. */
export function divideByNumber(quantity: OperandQuantity, by: number): OperandQuantity {
  const divisor = quantityOf(by);
  const decimals = Math.max(quantity.decimals ?? 9, divisor.decimals ?? 9);
  const up = 10n ** BigInt(Math.max(decimals, 0));
  const down = 10n ** BigInt(Math.max(-decimals, 0));
  const cut = (quantity.nanos * up) / (divisor.nanos * down);
  return { nanos: (cut * nanosPerUnit * down) / up, format: quantity.format };
}

/** A number as a quantity, through Go's text of it: `100000` is written out, `1000000` is `1e+06`. */
function quantityOf(value: number): OperandQuantity {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const isPlain = Number(exponent) >= -4 && Number(exponent) < 6;
  const quantity = parseOperandQuantity(isPlain ? String(value) : `${mantissa}e${exponent}`);
  if (quantity === undefined) throw invalid('invalid operand');
  return quantity;
}

export function quantityToNumber({ nanos, decimals = 9 }: OperandQuantity): number {
  if (decimals > 9) return Number(nanos) / 1e9;
  const unscaled = nanos / 10n ** BigInt(9 - decimals);
  return decimals === 0 ? Number(unscaled) : Number(unscaled) * Number(`1e${-decimals}`);
}
