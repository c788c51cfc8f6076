import { PolicyError } from '../errors.ts';
import { compareDurations } from './duration.ts';
import { differs, equals } from './equality.ts';
import { isMember, isOldMember, type MemberOperator, memberOf } from './membership.ts';
import { type ConditionOperator, type Order, parseOperator } from './operator.ts';
import { compareOrder } from './order.ts';

type Evaluation = (key: unknown, value: unknown) => boolean;

const evaluations: Readonly<Record<ConditionOperator, Evaluation>> = {
  Equals: equals,
  NotEquals: differs,
  In: (key, value) => isOldMember('In', key, value),
  NotIn: (key, value) => isOldMember('NotIn', key, value),
  AnyIn: (key, value) => isMember('AnyIn', key, value),
  AllIn: (key, value) => isMember('AllIn', key, value),
  AnyNotIn: (key, value) => isMember('AnyNotIn', key, value),
  AllNotIn: (key, value) => isMember('AllNotIn', key, value),
  ...ordering('GreaterThan'),
  ...ordering('GreaterThanOrEquals'),
  ...ordering('LessThan'),
  ...ordering('LessThanOrEquals'),
} as Readonly<Record<ConditionOperator, Evaluation>>;

function ordering(order: Order): Readonly<Record<string, Evaluation>> {
  return {
    [order]: (key, value) => compareOrder(order, key, value),
    [`Duration${order}`]: (key, value) => compareDurations(order, key, value),
  };
}

const memberOperators: ReadonlySet<string> = new Set<MemberOperator>(['AnyIn', 'AllIn', 'AnyNotIn', 'AllNotIn']);

/** The operator prepared for a constant value, to be evaluated for any number of keys. */
export function prepareOperator(operator: string, value: unknown): (key: unknown) => boolean {
  const name = parseOperator(operator);
  if (name !== undefined && memberOperators.has(name) && Array.isArray(value))
    return memberOf(name as MemberOperator, value);
  return (key) => evaluateOperator(operator, key, value);
}

/**
 * Whether the operator holds for a key and a value whose variables are resolved. Operands that the operator cannot
 * compare do not hold; throws PolicyError for an unknown operator and for lists that In and NotIn refuse.
 */
export function evaluateOperator(operator: string, key: unknown, value: unknown): boolean {
  const name = parseOperator(operator);
  if (name === undefined) {
    throw new PolicyError(
      'policy-condition-operator',
      `failed to create handler for condition operator: there is no operator ${JSON.stringify(operator)}`,
    );
  }
  return evaluations[name](key, value);
}
