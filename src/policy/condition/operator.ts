/** The operators of a condition, in the spelling that policies use. */
export const conditionOperators = [
  'Equals',
  'NotEquals',
  'In',
  'AnyIn',
  'AllIn',
  'NotIn',
  'AnyNotIn',
  'AllNotIn',
  'GreaterThan',
  'GreaterThanOrEquals',
  'LessThan',
  'LessThanOrEquals',
  'DurationGreaterThan',
  'DurationGreaterThanOrEquals',
  'DurationLessThan',
  'DurationLessThanOrEquals',
] as const;

export type ConditionOperator = (typeof conditionOperators)[number];

const bySpelling: ReadonlyMap<string, ConditionOperator> = new Map<string, ConditionOperator>([
  ...conditionOperators.flatMap((name) => [[name, name] as const, [name.toLowerCase(), name] as const]),
  ['equal', 'Equals'],
  ['notequal', 'NotEquals'],
]);

/** Parses an operator, case-insensitively and with the old `Equal` and `NotEqual`; undefined if it is unknown. */
export function parseOperator(text: string): ConditionOperator | undefined {
  return bySpelling.get(text) ?? bySpelling.get(text.toLowerCase());
}

export type Order = 'GreaterThan' | 'GreaterThanOrEquals' | 'LessThan' | 'LessThanOrEquals';

/** Whether two comparable values are in the order of the operator; false for NaN. */
export function isOrdered<T extends number | bigint>(order: Order, key: T, value: T): boolean {
  switch (order) {
    case 'GreaterThan':
      return key > value;
    case 'GreaterThanOrEquals':
      return key >= value;
    case 'LessThan':
      return key < value;
    case 'LessThanOrEquals':
      return key <= value;
  }
}
