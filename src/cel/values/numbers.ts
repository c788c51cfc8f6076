import { CelDouble, CelError, CelUint, double } from './values.ts';

export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

export type Int = number | bigint;

const intOverflow = new CelError('integer overflow');
const uintOverflow = new CelError('unsigned integer overflow');

/** The int in its only form: a number where it is safe. Undefined outside of 64 bits. */
export function intOf(value: bigint): Int | undefined {
  if (value < minInt || value > maxInt) return undefined;
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

const checked = (value: bigint): Int | CelError => intOf(value) ?? intOverflow;

export function addInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return checked(BigInt(a) + BigInt(b));
}

export function subtractInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return checked(BigInt(a) - BigInt(b));
}

export function multiplyInts(a: Int, b: Int): Int | CelError {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    // A product of zero and a negative number is negative zero.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return checked(BigInt(a) * BigInt(b));
}

const byZero = new CelError('division by zero');
const modulusByZero = new CelError('modulus by zero');

export function divideInts(a: Int, b: Int): Int | CelError {
  if (b === 0) return byZero;
  if (typeof a === 'number' && typeof b === 'number') return Math.trunc(a / b) + 0;
  return checked(BigInt(a) / BigInt(b));
}

export function moduloInts(a: Int, b: Int): Int | CelError {
  if (b === 0) return modulusByZero;
  if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
  if (BigInt(a) === minInt && b === -1) return intOverflow;
  return checked(BigInt(a) % BigInt(b));
}

export function negateInt(a: Int): Int | CelError {
  return typeof a === 'number' ? 0 - a : checked(-a);
}

export function uintOf(value: bigint): CelUint | CelError {
  return value < 0n || value > maxUint ? uintOverflow : new CelUint(value);
}

export function divideUints(a: bigint, b: bigint): CelUint | CelError {
  return b === 0n ? byZero : new CelUint(a / b);
}

export function moduloUints(a: bigint, b: bigint): CelUint | CelError {
  return b === 0n ? modulusByZero : new CelUint(a % b);
}

/** Any number: an int, a uint or a double. */
export function isNumeric(value: unknown): value is Int | CelUint | CelDouble {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof CelUint || value instanceof CelDouble
  );
}

type Numeric = Int | CelUint | CelDouble;

/** Below, equal, above, or undefined for NaN. Beside a double everything is one, with what that loses. */
export function compareNumbers(a: Numeric, b: Numeric): -1 | 0 | 1 | undefined {
  let left = typeof a === 'object' ? a.value : a;
  let right = typeof b === 'object' ? b.value : b;
  if (typeof left !== typeof right && (isFloat(a) || isFloat(b))) {
    left = Number(left);
    right = Number(right);
  }
  if (left < right) return -1;
  if (left > right) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number of one value.
  return left == right ? 0 : undefined;
}

const isFloat = (value: Numeric) =>
  typeof value === 'number' ? !Number.isSafeInteger(value) : value instanceof CelDouble;

export const arithmetic = {
  add: (a: number, b: number) => double(a + b),
  subtract: (a: number, b: number) => double(a - b),
  multiply: (a: number, b: number) => double(a * b),
  divide: (a: number, b: number) => double(a / b),
};

/** A double with the fewest digits that tell it apart, as Go prints it: with an exponent below -4 and from 6 on. */
export function renderDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const size = Math.abs(power);
  return `${digits}e${power < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
}
