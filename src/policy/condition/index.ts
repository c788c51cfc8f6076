/**
 * Kyverno's conditions, the pure core: which operators there are, what they say of two resolved operands, and the two
 * ways of writing a block of conditions brought into one. Variables, and what follows from a condition, are elsewhere.
 *
 * Invariants: operands are never changed; nothing but PolicyError is thrown; no operands can make it run for long.
 */
export { type Condition, type ConditionBlock, type ConditionIssue, parseConditionBlock } from './block.ts';
export { evaluateOperator, prepareOperator } from './evaluate.ts';
export { type ConditionOperator, conditionOperators, parseOperator } from './operator.ts';
