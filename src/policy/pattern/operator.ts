/** How a text pattern compares: equal, different, ordered, within `a-b` or outside `a!-b`. */
export type ScalarOperator = '' | '!' | '>' | '>=' | '<' | '<=' | '-' | '!-';

const prefixes = ['>=', '<=', '>', '<', '!'] as const;
const endpoint = String.raw`[-|+]?\d+(?:\.\d+)?[A-Za-z]*`;
const inside = new RegExp(`^(${endpoint})-(${endpoint})$`);
const outside = new RegExp(`^(${endpoint})!-(${endpoint})$`);
/** The common start of both expressions, a fast check that excludes most texts. */
const rangeStart = /^[-|+\d]/;

/** The operator of a text pattern. */
export function operatorOf(pattern: string): ScalarOperator {
  if (pattern.length < 2) return '';
  for (const prefix of prefixes) if (pattern.startsWith(prefix)) return prefix;
  if (!rangeStart.test(pattern) || !pattern.includes('-')) return '';
  if (outside.test(pattern)) return '!-';
  return inside.test(pattern) ? '-' : '';
}

export function isRange(operator: ScalarOperator): operator is '-' | '!-' {
  return operator === '-' || operator === '!-';
}

/** Both ends of a text whose operator is a range. */
export function splitRange(pattern: string, operator: '-' | '!-'): readonly [string, string] {
  const [, left = '', right = ''] = (operator === '-' ? inside : outside).exec(pattern) ?? [];
  return [left, right];
}
