import { durationOf, quantityOf } from './amount.ts';
import { exponentText, fixedText, integerText, isInt64 } from './go-text.ts';
import { parseGoFloat } from './number.ts';
import { isRange, operatorOf, type ScalarOperator, splitRange } from './operator.ts';
import { matchesWildcard } from './wildcard.ts';

/** Whether a value satisfies a scalar pattern. */
type ScalarCheck = (value: unknown) => boolean;

/** Compiles a text, number, boolean or null; an object matches any object, and a list matches nothing. */
export function compileScalar(pattern: unknown): ScalarCheck {
  switch (typeof pattern) {
    case 'string':
      return compileText(pattern);
    case 'number':
      return (value) => equalsNumber(value, pattern);
    case 'bigint':
      return (value) => equalsNumber(value, Number(pattern));
    case 'boolean':
      return (value) => value === pattern;
    case 'object':
      if (pattern === null) return isEmptyScalar;
      return Array.isArray(pattern) ? never : isMap;
    default:
      return pattern === undefined ? isEmptyScalar : never;
  }
}

/** True when the value satisfies the pattern. */
export function matchScalar(value: unknown, pattern: unknown): boolean {
  return compileScalar(pattern)(value);
}

const never: ScalarCheck = () => false;
const isMap: ScalarCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmptyScalar: ScalarCheck = (value) =>
  value === null || value === undefined || value === '' || value === false || value === 0 || value === 0n;

function equalsNumber(value: unknown, pattern: number): boolean {
  if (typeof value === 'number') return value === pattern;
  if (typeof value === 'bigint') return Number.isInteger(pattern) && BigInt(pattern) === value;
  if (typeof value !== 'string') return false;
  // An integral number of a pattern is an integer: a text equals it only if it is written as an integer.
  return Number.isInteger(pattern)
    ? /^[+-]?\d+$/.test(value) && Number(value) === pattern
    : parseGoFloat(value) === pattern;
}

/** `a | b & c`: one of the alternatives, all of its parts. */
function compileText(pattern: string): ScalarCheck {
  const alternatives = pattern.split('|').map((alternative) => {
    const parts = trimSpaces(alternative)
      .split('&')
      .map((part) => compilePart(trimSpaces(part)));
    return parts.length === 1 ? parts[0]! : (value: unknown) => parts.every((part) => part(value));
  });
  if (alternatives.length === 1) {
    const only = alternatives[0]!;
    return (value) => value === pattern || only(value);
  }
  return (value) => value === pattern || alternatives.some((alternative) => alternative(value));
}

function trimSpaces(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}

function compilePart(part: string): ScalarCheck {
  const operator = operatorOf(part);
  if (!isRange(operator)) return compileComparison(operator, part.slice(operator.length).trim());
  const [left, right] = splitRange(part, operator);
  if (operator === '-') {
    const [from, to] = [compileComparison('>=', left), compileComparison('<=', right)];
    return (value) => from(value) && to(value);
  }
  const [below, above] = [compileComparison('<', left), compileComparison('>', right)];
  return (value) => below(value) || above(value);
}

/** Compares as durations, then as quantities, then as texts: the first type that both sides parse as. */
function compileComparison(operator: Exclude<ScalarOperator, '-' | '!-'>, operand: string): ScalarCheck {
  const duration = durationOf(operand);
  const quantity = quantityOf(operand);
  const text = compileTextComparison(operator, operand);
  if (duration === undefined && quantity === undefined) return text;
  return (value) => {
    const amount = amountText(value);
    if (amount !== undefined) {
      const valueDuration = duration === undefined ? undefined : durationOf(amount);
      if (valueDuration !== undefined) return compare(operator, valueDuration, duration!);
      const valueQuantity = quantity === undefined ? undefined : quantityOf(amount);
      if (valueQuantity !== undefined) return compare(operator, valueQuantity, quantity!);
    }
    return text(value);
  };
}

function compare(operator: ScalarOperator, value: bigint, operand: bigint): boolean {
  switch (operator) {
    case '':
      return value === operand;
    case '!':
      return value !== operand;
    case '>':
      return value > operand;
    case '<':
      return value < operand;
    case '>=':
      return value >= operand;
    default:
      return value <= operand;
  }
}

/** Texts have no order, and an absent value neither equals a text nor differs from it. */
function compileTextComparison(operator: ScalarOperator, operand: string): ScalarCheck {
  if (operator !== '' && operator !== '!') return never;
  const wanted = operator === '';
  return (value) => {
    const text = wildcardText(value);
    return text !== undefined && matchesWildcard(operand, text) === wanted;
  };
}

/** The text of a value for the comparison of amounts: an absent value is zero. */
function amountText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '0';
  if (typeof value === 'number') return isInt64(value) ? integerText(value) : fixedText(value);
  return typeof value === 'bigint' ? value.toString() : undefined;
}

/** The text of a value for wildcards. */
function wildcardText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return isInt64(value) ? integerText(value) : exponentText(value);
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined;
}
