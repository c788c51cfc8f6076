/**
 * The pure core of Kyverno's conditions: the operators, their result for two resolved operands, and the parser for both
 * forms of a block of conditions. Variables, and the consequences of a condition, are handled elsewhere.
 *
 * Invariants: operands are never changed; only PolicyError is thrown; the run time is bounded for any operands.
 */
export { type Condition, parseConditionBlock } from './block.ts';
export { evaluateOperator, prepareOperator } from './evaluate.ts';
