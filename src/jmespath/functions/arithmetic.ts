import { addQuantities, DurationError, parseDuration, renderDuration, renderQuantity } from '../../object/index.ts';
import { invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import { isNumber } from '../values.ts';
import { finite, integer } from './go-number.ts';
import {
  divideByNumber,
  multiplyByNumber,
  type OperandQuantity,
  parseOperandQuantity,
  quantityToNumber,
} from './quantity-scaling.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Arithmetic on numbers, quantities (`1Gi`) and durations (`1h`); kinds mix only where one scales the other. */
export const arithmeticFunctions: readonly FunctionSpec[] = [
  binary('add', add),
  binary('subtract', (a, b) => add(a, negate(b))),
  binary('multiply', multiply),
  binary('divide', divide),
  binary('modulo', modulo),
  define('sum', ['array'], (run: Run, list: readonly unknown[]) => {
    if (list.length === 0) throw invalid('at least one element in the array is required');
    run.charge(list.length);
    return list.reduce((sum, item) => resultOf(add(operandOf(sum), operandOf(item))));
  }),
  define('round', ['number', 'number'], (_, value: number | bigint, digits: number | bigint) => {
    const places = integer(digits);
    if (places < 0) throw invalid('argument #2 must not be negative');
    return round(Number(value), places);
  }),
];

type Operand =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'quantity'; readonly value: OperandQuantity }
  | { readonly kind: 'duration'; readonly value: bigint };

function binary(name: string, operate: (a: Operand, b: Operand) => Operand): FunctionSpec {
  return define(name, ['any', 'any'], (_, a: unknown, b: unknown) => resultOf(operate(operandOf(a), operandOf(b))));
}

function operandOf(value: unknown): Operand {
  if (isNumber(value)) return number(Number(value));
  if (typeof value === 'string') {
    // `5m` is five thousandths before it is five minutes.
    const quantity = parseOperandQuantity(value);
    if (quantity !== undefined) return { kind: 'quantity', value: quantity };
    const ns = tryDuration(value);
    if (ns !== undefined) return duration(ns);
  }
  throw invalid('invalid operand');
}

function tryDuration(text: string): bigint | undefined {
  try {
    return parseDuration(text);
  } catch (thrown) {
    if (thrown instanceof DurationError) return undefined;
    throw thrown;
  }
}

function number(value: number): Operand {
  return { kind: 'number', value };
}

function duration(ns: bigint): Operand {
  return { kind: 'duration', value: BigInt.asIntN(64, ns) };
}

function resultOf(operand: Operand): unknown {
  if (operand.kind === 'number') return finite(operand.value);
  return operand.kind === 'quantity' ? renderQuantity(operand.value) : renderDuration(operand.value);
}

function add(a: Operand, b: Operand): Operand {
  if (a.kind === 'number' && b.kind === 'number') return number(a.value + b.value);
  if (a.kind === 'duration' && b.kind === 'duration') return duration(a.value + b.value);
  if (a.kind === 'quantity' && b.kind === 'quantity')
    return { kind: 'quantity', value: addQuantities(a.value, b.value) };
  throw mismatch();
}

function negate(operand: Operand): Operand {
  if (operand.kind === 'number') return number(-operand.value);
  if (operand.kind === 'duration') return { kind: 'duration', value: -operand.value };
  return { kind: 'quantity', value: { nanos: -operand.value.nanos, format: operand.value.format } };
}

function multiply(a: Operand, b: Operand): Operand {
  if (a.kind === 'number' && b.kind !== 'number') return multiply(b, a);
  if (b.kind !== 'number') throw mismatch();
  if (a.kind === 'number') return number(a.value * b.value);
  if (a.kind === 'duration') return fromSeconds(seconds(a.value) * b.value);
  return { kind: 'quantity', value: multiplyByNumber(a.value, b.value) };
}

function divide(a: Operand, b: Operand): Operand {
  if (a.kind === 'number' && b.kind !== 'number') throw mismatch();
  if (b.kind !== 'number') {
    if (a.kind !== b.kind) throw mismatch();
    const [x, y] = [magnitude(a), magnitude(b)];
    if (y === 0) throw zeroDivisor();
    return number(x / y);
  }
  if (b.value === 0) throw zeroDivisor();
  if (a.kind === 'number') return number(a.value / b.value);
  if (a.kind === 'duration') return fromSeconds(seconds(a.value) / b.value);
  return { kind: 'quantity', value: divideByNumber(a.value, b.value) };
}

function modulo(a: Operand, b: Operand): Operand {
  if (a.kind !== b.kind) throw mismatch();
  if (a.kind === 'duration') {
    if (b.value === 0n) throw zeroDivisor();
    return { kind: 'duration', value: a.value % (b.value as bigint) };
  }
  const rest = integerModulo(magnitude(a), magnitude(b));
  if (a.kind === 'number') return number(rest);
  return { kind: 'quantity', value: { nanos: BigInt(rest) * 1_000_000_000n, format: a.value.format } };
}

function integerModulo(a: number, b: number): number {
  if (!isInt64(a) || !isInt64(b)) throw invalid('Non-integer argument(s) passed for modulo');
  if (b === 0) throw zeroDivisor();
  // Adding zero turns the -0 of a negative dividend into 0.
  return (a % b) + 0;
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

function magnitude(operand: Operand): number {
  if (operand.kind === 'number') return operand.value;
  return operand.kind === 'duration' ? seconds(operand.value) : quantityToNumber(operand.value);
}

function seconds(ns: bigint): number {
  return Number(ns / 1_000_000_000n) + Number(ns % 1_000_000_000n) / 1e9;
}

function fromSeconds(value: number): Operand {
  const ns = Math.trunc(value * 1e9);
  if (!isInt64(ns)) throw invalid('the duration is out of range');
  return { kind: 'duration', value: BigInt(ns) };
}

/** Half away from zero, as Go rounds. */
function round(value: number, places: number): number {
  const shift = 10 ** places;
  const scaled = value * shift;
  if (!Number.isFinite(scaled) || !Number.isFinite(shift)) return value;
  return roundHalfAway(scaled) / shift;
}

function roundHalfAway(value: number): number {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
}

function mismatch() {
  return invalid('Types mismatch');
}

function zeroDivisor() {
  return invalid('Zero divisor passed');
}
