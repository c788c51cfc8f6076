/** What one expression may be: Kubernetes' limits, so that an expression is accepted here exactly if it is there. */

/** In code points. */
export const maxExpressionSize = 100_000;
/** Levels of one rule of the grammar, and of operators and selections in each other. */
export const maxRecursion = 250;
/** Nodes, when macros are expanded in each other. */
export const maxNodes = 100_000;
/** Mistakes that are told of one expression. */
export const maxIssues = 100;

/** What one evaluation may cost. */
export const callCostLimit = 1_000_000;
