import { CallFailure } from '../errors.ts';
import { display } from '../format/print.ts';
import { parseIntegerText } from '../numbers.ts';
import { float, int64, type Value } from '../values.ts';
import { toFloat, toInteger } from './convert.ts';
import { Decimal } from './decimal.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

type Integer = number | bigint;

/** Integer arithmetic in doubles as long as it is exact, and beyond in big integers; int64 cuts to its 64 bits. */
function integerOp(
  a: Integer,
  b: Integer,
  small: (a: number, b: number) => number,
  big: (a: bigint, b: bigint) => bigint,
) {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = small(a, b);
    // There is no negative zero among integers.
    if (Number.isSafeInteger(result)) return result + 0;
  }
  return int64(big(BigInt(a), BigInt(b))).value;
}

const add = (a: Integer, b: Integer) =>
  integerOp(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
const subtract = (a: Integer, b: Integer) =>
  integerOp(
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
const multiply = (a: Integer, b: Integer) =>
  integerOp(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
const nonZero = (value: Integer) => {
  if (Number(value) === 0) throw new CallFailure('runtime error: integer divide by zero');
  return value;
};
const divide = (a: Integer, b: Integer) =>
  integerOp(
    a,
    nonZero(b),
    (x, y) => Math.trunc(x / y),
    (x, y) => x / y,
  );
const remainder = (a: Integer, b: Integer) =>
  integerOp(
    a,
    nonZero(b),
    (x, y) => x % y || 0,
    (x, y) => x % y,
  );

const pick =
  (isBetter: (candidate: Integer, best: Integer) => boolean) =>
  (first: Value, ...rest: Value[]) =>
    int64(
      rest.map(toInteger).reduce((best, candidate) => (isBetter(candidate, best) ? candidate : best), toInteger(first)),
    );

const decimals =
  (op: (a: Decimal, b: Decimal) => Decimal) =>
  (first: Value, ...rest: Value[]) =>
    float(rest.map(decimal).reduce(op, decimal(first)).toNumber());

const decimal = (value: Value) => Decimal.from(toFloat(value));
const largest = pick((candidate, best) => candidate > best);

export const mathFunctions: readonly FunctionSpec[] = [
  ...defineRunning({ 'toDecimal(any)': (run, value: Value) => int64(fromOctal(display(value, run))) }),
  ...define({
    'add(...any)': (...values: Value[]) => int64(values.map(toInteger).reduce(add, 0)),
    'add1(any)': (value: Value) => int64(add(toInteger(value), 1)),
    'sub(any, any)': (a: Value, b: Value) => int64(subtract(toInteger(a), toInteger(b))),
    'mul(any, ...any)': (first: Value, ...rest: Value[]) =>
      int64(rest.map(toInteger).reduce(multiply, toInteger(first))),
    'div(any, any)': (a: Value, b: Value) => int64(divide(toInteger(a), toInteger(b))),
    'mod(any, any)': (a: Value, b: Value) => int64(remainder(toInteger(a), toInteger(b))),
    'max(any, ...any)': largest,
    'biggest(any, ...any)': largest,
    'min(any, ...any)': pick((candidate, best) => candidate < best),
    'maxf(any, ...any)': (first: Value, ...rest: Value[]) => float(Math.max(toFloat(first), ...rest.map(toFloat))),
    'minf(any, ...any)': (first: Value, ...rest: Value[]) => float(Math.min(toFloat(first), ...rest.map(toFloat))),
    'addf(...any)': (...values: Value[]) => decimals((a, b) => a.plus(b))(0, ...values),
    'add1f(any)': (value: Value) => decimals((a, b) => a.plus(b))(value, 1),
    'subf(any, ...any)': decimals((a, b) => a.minus(b)),
    'mulf(any, ...any)': decimals((a, b) => a.times(b)),
    'divf(any, ...any)': decimals((a, b) => a.dividedBy(b)),
    'ceil(any)': (value: Value) => float(Math.ceil(toFloat(value))),
    'floor(any)': (value: Value) => float(Math.floor(toFloat(value))),
    'round(any, int, ...float64)': round,
  }),
];

function round(value: Value, places: number, ...roundOn: Value[]): Value {
  const power = 10 ** places;
  const digit = power * toFloat(value);
  const fraction = digit - Math.trunc(digit);
  const threshold = roundOn.length > 0 ? toFloat(roundOn[0]) : 0.5;
  return float((fraction >= threshold ? Math.ceil(digit) : Math.floor(digit)) / power);
}

function fromOctal(text: string): bigint {
  const value = parseIntegerText(text, 8) ?? 0n;
  return BigInt.asIntN(64, value) === value ? value : 0n;
}
