/**
 * Match and exclude blocks, compiled to closures. They read only the request; preconditions and exceptions are evaluated
 * later, by the rule.
 */

export { filtersOf, matchedOperations } from './blocks.ts';
export { explainBlock, type FilterExplanation } from './explain.ts';
export { compileKinds, compileWildcard, type KindMatcher, parseKindSelector } from './kind-selector.ts';
export { compileSelector } from './label-match.ts';
export { compileMayMatchKind } from './may-match-kind.ts';
export { compileRuleMatch, type RuleMatcher } from './rule-match.ts';
