import { isJsonObject } from '../../base/index.ts';

/** Takes units of work off the rule's budget; throws when it is spent. */
export type Spend = (units: number) => void;

/** Values of kinds that cannot be compared: a mistake of the tree, not a violation. */
export class Incomparable extends Error {}

/**
 * Whether a value is what is expected: lists element by element, maps by the keys that are expected, numbers by value.
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

/** The kind of a value in Go's words; numbers of an object are integers where they can be, those of a policy are not. */
function kindOf(value: unknown, number?: string): string {
  if (value === null || value === undefined) return 'invalid';
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (!isNumber(value)) return 'map';
  return number ?? (Number.isInteger(Number(value)) ? 'int64' : 'float64');
}
