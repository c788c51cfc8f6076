/**
 * CEL in policies: what expressions see of a request and of what types it is, variables, and the expressions of a rule
 * ready to run. Compiling never fails: an expression that is wrong says so when it is evaluated, and that is a denial.
 */
export { compileExpression, type Expression } from './expression.ts';
export { partsOfExpression } from './reads.ts';
export { namespaceOf, namespaceValue, requestValue, shownNamespace, wholeNamespaceValue } from './request.ts';
export { createExpressionTrace } from './trace.ts';
export { compileVariables, createVariableValues, type RuleVariables } from './variables.ts';
