import { PolicyError } from '../errors.ts';
import { containsWildcard, goText, matchesWildcard, matchScalar, operatorOf } from '../pattern/index.ts';
import { parseTextList } from './text-list.ts';

/** Pairs of texts that one condition may compare with wildcards. */
const maxPairs = 2_000_000;

export type MemberOperator = 'AnyIn' | 'AllIn' | 'AnyNotIn' | 'AllNotIn';

/** AnyIn, AllIn and their negations: whether any or all of the keys are, or are not, among the values. */
export function isMember(operator: MemberOperator, key: unknown, value: unknown): boolean {
  if (Array.isArray(key)) {
    return areMembers(
      operator,
      key.map((item) => goText(item)),
      value,
    );
  }
  if (!isScalar(key)) return false;
  const isIn = isOneMember(goText(key), value);
  return isIn !== undefined && isIn === (operator === 'AnyIn' || operator === 'AllIn');
}

/** The same for a constant list of values, which is prepared once. */
export function memberOf(operator: MemberOperator, values: readonly unknown[]): (key: unknown) => boolean {
  const texts = values.map((item) => goText(item));
  const fits = matcherOf(texts);
  const isPositive = operator === 'AnyIn' || operator === 'AllIn';
  return (key) => {
    if (!Array.isArray(key)) return isScalar(key) && fits(goText(key)) === isPositive;
    checkPairs(key.length, texts.length);
    return countIn(operator, key, fits);
  };
}

function countIn(operator: MemberOperator, keys: readonly unknown[], fits: (key: string) => boolean): boolean {
  const isAll = operator === 'AllIn' || operator === 'AnyNotIn';
  for (const key of keys) {
    // A key that is not in the list ends `all`; one that is in it ends `any`.
    if (fits(goText(key)) !== isAll) return operator === 'AnyIn' || operator === 'AnyNotIn';
  }
  return operator === 'AllIn' || operator === 'AllNotIn';
}

/** In and NotIn, the old forms: lists hold texts only and are compared without wildcards. */
export function isOldMember(operator: 'In' | 'NotIn', key: unknown, value: unknown): boolean {
  const isNegated = operator === 'NotIn';
  if (Array.isArray(key)) {
    for (const item of key) if (typeof item !== 'string') throw notText(operator);
    return isSubset(key as readonly string[], value, isNegated);
  }
  if (!isScalar(key)) return false;
  const text = goText(key);
  if (Array.isArray(value))
    return (
      fitsAny(
        text,
        value.map((item) => goText(item)),
      ) !== isNegated
    );
  if (typeof value !== 'string') return false;
  if (matchesWildcard(value, text)) return !isNegated;
  const list = parseTextList(value);
  return Array.isArray(list) ? list.includes(text) !== isNegated : false;
}

const notText = (operator: string) =>
  new PolicyError(
    'policy-condition-operand',
    `${operator} takes a list of texts only; use the Any or All form instead`,
  );

function isSubset(keys: readonly string[], value: unknown, isNegated: boolean): boolean {
  if (typeof value === 'string') {
    // As upstream, both operators hold here.
    if (keys.length === 1 && keys[0] === value) return true;
    const list = parseTextList(value);
    return Array.isArray(list) ? isContained(keys, list) !== isNegated : false;
  }
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return false;
  return isContained(keys, value) !== isNegated;
}

function isContained(keys: readonly string[], values: readonly string[]): boolean {
  const set = new Set(values);
  return keys.every((key) => set.has(key));
}

/** Undefined when the value cannot contain the key. */
function isOneMember(key: string, value: unknown): boolean | undefined {
  if (Array.isArray(value))
    return fitsAny(
      key,
      value.map((item) => goText(item)),
    );
  if (typeof value !== 'string') return undefined;
  if (matchesWildcard(value, key)) return true;
  if (operatorOf(value) === '-') return matchScalar(key, value);
  const list = parseTextList(value);
  if (list === 'no JSON') return key === value;
  return list === 'other JSON' ? undefined : list.includes(key);
}

function areMembers(operator: MemberOperator, keys: readonly string[], value: unknown): boolean {
  if (Array.isArray(value)) {
    return count(
      operator,
      keys,
      value.map((item) => goText(item)),
    );
  }
  if (typeof value !== 'string') {
    // A single number or boolean counts as a list of one for the Any operators only.
    const isAny = operator === 'AnyIn' || operator === 'AnyNotIn';
    return isAny && isScalar(value) ? count(operator, keys, [goText(value)]) : false;
  }
  if (keys.length === 1 && keys[0] === value) return operator === 'AnyIn' || operator === 'AllIn';
  if (operatorOf(value) === '-') return isInRange(operator, keys, value);
  const list = parseTextList(value);
  if (list === 'other JSON') return false;
  return count(operator, keys, list === 'no JSON' ? [value] : list);
}

function isInRange(operator: MemberOperator, keys: readonly string[], range: string) {
  switch (operator) {
    case 'AnyIn':
      return keys.some((key) => matchScalar(key, range));
    case 'AllIn':
      return keys.every((key) => matchScalar(key, range));
    case 'AnyNotIn': {
      // As upstream, the first dash, even if it is the sign of a negative number.
      const outside = range.replace('-', '!-');
      return keys.some((key) => matchScalar(key, outside));
    }
    case 'AllNotIn':
      return !keys.some((key) => matchScalar(key, range));
  }
}

function count(operator: MemberOperator, keys: readonly string[], values: readonly string[]): boolean {
  checkPairs(keys.length, values.length);
  const fits = matcherOf(values);
  switch (operator) {
    case 'AnyIn':
      return keys.some(fits);
    case 'AllIn':
      return keys.every(fits);
    case 'AnyNotIn':
      return !keys.every(fits);
    case 'AllNotIn':
      return !keys.some(fits);
  }
}

function fitsAny(key: string, values: readonly string[]): boolean {
  checkPairs(1, values.length);
  return matcherOf(values)(key);
}

function checkPairs(keyCount: number, valueCount: number): void {
  if (keyCount * valueCount > maxPairs) {
    throw new PolicyError(
      'policy-condition-limit',
      `a condition compares at most ${maxPairs} pairs, not ${keyCount} keys with ${valueCount} values`,
    );
  }
}

/** Wildcards apply on both sides; texts without wildcards are looked up in a set. */
function matcherOf(values: readonly string[]): (key: string) => boolean {
  const patterns = values.filter(containsWildcard);
  // For a few texts, comparing is faster than hashing.
  const plain = values.length > 16 ? new Set(values) : undefined;
  return (key) =>
    (plain ? plain.has(key) : values.includes(key)) ||
    (patterns.length > 0 && patterns.some((pattern) => matchesWildcard(pattern, key))) ||
    (containsWildcard(key) && values.some((value) => matchesWildcard(key, value)));
}

function isScalar(value: unknown): boolean {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'bigint' || type === 'boolean';
}
