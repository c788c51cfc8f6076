/**
 * JMESPath compiled to closures, in two dialects: as Kyverno speaks it (the standard language, the "unknown key" rule,
 * Kyverno's functions), and the community's, which assertion trees use. It knows nothing of policies, and does no I/O: time, randomness and addresses come in with the
 * environment.
 *
 * Invariants: an evaluation never changes its data; it throws nothing but JmespathError (and what a scope or the
 * environment throws); no expression, however hostile, can run for long or take much memory; the same data and
 * environment give the same result.
 */
export { childrenOf, freeVariables, type Node } from './ast.ts';
export type { Dialect } from './dialect.ts';
export { JmespathError, jmespathErrorCodes } from './errors.ts';
export { communityFunctions, functions as jmespathFunctions } from './functions/table.ts';
export { matchesWildcard } from './functions/wildcard.ts';
export { maxExpressionLength, maxNesting } from './limits.ts';
export { type CompileOptions, compile, type Program } from './program.ts';
export { anyField, type ReadPath, readPaths } from './read-paths.ts';
export type { Environment, WorkBudget } from './run.ts';
export { type Bindings, bind, missing, Scope } from './scope.ts';
