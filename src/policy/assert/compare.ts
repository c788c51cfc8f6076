import { isJsonObject } from '../../base/index.ts';

/** Subtracts units of work from the rule's budget; throws when it is exceeded. */
export type Spend = (units: number) => void;

/** Values of types that cannot be compared: an error in the tree, not a violation. */
export class Incomparable extends Error {}

/**
 * Whether a value equals the expected one: lists element by element, maps by the expected keys, numbers by value.
 * A null matches only null.
 */
export function isAsExpected(expected: unknown, actual: unknown, spend: Spend): boolean {
  spend(1);
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) throw new Incomparable(mustBe('slice', actual));
    return (
      expected.length === actual.length && expected.every((item, index) => isAsExpected(item, actual[index], spend))
    );
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(actual)) throw new Incomparable(mustBe('map', actual));
    return Object.keys(expected).every(
      (key) => Object.hasOwn(actual, key) && isAsExpected(expected[key], actual[key], spend),
    );
  }
  return isSameScalar(expected ?? null, actual ?? null);
}

function isSameScalar(expected: unknown, actual: unknown): boolean {
  if (expected === actual) return true;
  if (expected === null || actual === null) return false;
  if (isNumber(expected) && isNumber(actual)) return !(expected < actual) && !(expected > actual);
  if (typeof expected === typeof actual && typeof actual !== 'object') return false;
  throw new Incomparable(`types are not comparable, ${kindOf(expected, 'float64')} - ${kindOf(actual)}`);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function mustBe(kind: string, actual: unknown): string {
  return `invalid actual value, must be a ${kind}, found ${kindOf(actual)}`;
}

/** The Go type of a value; integral numbers of an object are integers, those of a policy are floats. */
function kindOf(value: unknown, number?: string): string {
  if (value === null || value === undefined) return 'invalid';
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (!isNumber(value)) return 'map';
  return number ?? (Number.isInteger(Number(value)) ? 'int64' : 'float64');
}
