/**
 * Policies that consist of CEL expressions: one policy shape for many kinds, beside ClusterPolicy and Policy. Each kind
 * is a folder of its own that says what its fields are, what can be wrong with them, and how they judge a request; what
 * they share is here: matchConstraints, matchConditions, variables, what expressions see.
 */

export type { DerivedSpec } from '../autogen/index.ts';
export { checkKindPolicy } from './check.ts';
export { compileKindException, isKindException, type KindException } from './exceptions.ts';
export { definitionOf, derivedSpecsOf, isKindPolicy } from './registry.ts';
export type { KindPolicy } from './types.ts';
