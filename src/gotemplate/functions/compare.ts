import { CallFailure } from '../errors.ts';
import { Flags } from '../format/flags.ts';
import { display, formatValue } from '../format/print.ts';
import type { Run } from '../run.ts';
import { compareText } from '../utf8.ts';
import { type Complex, GoObject, kindOf, Num, typeName, type Value } from '../values.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

type BasicKind = 'bool' | 'int' | 'uint' | 'float' | 'complex' | 'string' | undefined;

/** The kinds that compare with each other; undefined for what is no basic value. */
function basicKind(value: Value): BasicKind {
  const kind = kindOf(value);
  if (kind === 'string' || kind === 'bool') return kind;
  if (kind === 'int' || kind === 'int64' || kind === 'int32') return 'int';
  if (kind.startsWith('uint')) return 'uint';
  if (kind === 'float64') return 'float';
  return kind === 'complex128' ? 'complex' : undefined;
}

const numberOf = (value: Value) => (value instanceof Num ? value.value : (value as number | bigint));

function equal(run: Run, first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) throw new CallFailure('missing argument for comparison');
  const kind = basicKind(first);
  return others.some((other) => equalTo(run, first, kind, other));
}

function equalTo(run: Run, first: Value, kind: BasicKind, other: Value): boolean {
  const otherKind = basicKind(other);
  if (kind !== otherKind) {
    // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same integer.
    if (areIntegers(kind, otherKind)) return numberOf(first) == numberOf(other);
    if (isNil(first) || isNil(other)) return false;
    throw new CallFailure(`incompatible types for comparison: ${typeName(first)} and ${typeName(other)}`);
  }
  if (kind === 'complex') {
    const [a, b] = [first as Complex, other as Complex];
    return a.real === b.real && a.imaginary === b.imaginary;
  }
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same integer.
  if (kind === 'int' || kind === 'uint' || kind === 'float') return numberOf(first) == numberOf(other);
  if (kind !== undefined) return first === other;
  if (isNil(first) || isNil(other)) return isNil(first) === isNil(other);
  return equalOthers(run, first, other);
}

function equalOthers(run: Run, first: Value, other: Value): boolean {
  const [kind, otherKind] = [kindOf(first), kindOf(other)];
  if (kind !== otherKind) {
    const shown = `${formatValue(first, 's', new Flags(run))}: ${typeName(first)}, ${typeName(other)}: ${display(other, run)}`;
    throw new CallFailure(`non-comparable types ${shown}`);
  }
  if (!(other instanceof GoObject)) {
    throw new CallFailure(`non-comparable type ${formatValue(other, 's', new Flags(run))}: ${typeName(other)}`);
  }
  return kind === 'ptr' ? first === other : first?.toString() === other.toString();
}

const isNil = (value: Value) => value === undefined || value === null;
const areIntegers = (a: BasicKind, b: BasicKind) => (a === 'int' && b === 'uint') || (a === 'uint' && b === 'int');

function lessThan(a: Value, b: Value): boolean {
  const [kind, otherKind] = [basicKind(a), basicKind(b)];
  if (kind === undefined || otherKind === undefined) throw new CallFailure('invalid type for comparison');
  if (kind !== otherKind && !areIntegers(kind, otherKind)) {
    throw new CallFailure(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  }
  if (kind === 'bool' || kind === 'complex') throw new CallFailure('invalid type for comparison');
  if (kind === 'string') return compareText(a as string, b as string) < 0;
  return numberOf(a) < numberOf(b);
}

const lessOrEqual = (run: Run, a: Value, b: Value) => lessThan(a, b) || equal(run, a, [b]);

export const compareFunctions: readonly FunctionSpec[] = defineRunning({
  'eq(value, ...value)': (run, first: Value, ...others: Value[]) => equal(run, first, others),
  'ne(value, value)': (run, a: Value, b: Value) => !equal(run, a, [b]),
  'lt(value, value)': (_, a: Value, b: Value) => lessThan(a, b),
  'le(value, value)': lessOrEqual,
  'gt(value, value)': (run, a: Value, b: Value) => !lessOrEqual(run, a, b),
  'ge(value, value)': (_, a: Value, b: Value) => !lessThan(a, b),
});
