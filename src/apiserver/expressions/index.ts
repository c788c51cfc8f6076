/**
 * Expressions in CEL as admission has them: what they see, how policies and webhooks are refused when they are written,
 * and one evaluation of several expressions with one budget. Pure: no I/O, no clock; an error is a value.
 */
export {
  compileConditions,
  compileExpression,
  compileMutation,
  compileVariables,
  type Expression,
  type ExpressionScope,
  type NamedExpression,
  type PatchType,
  scopeOf,
} from './declarations.ts';
export { type Bindings, BudgetError, Evaluation, policyBudget } from './evaluation.ts';
export { matchConditions } from './match-conditions.ts';
export { expressionWarnings } from './type-check.ts';
