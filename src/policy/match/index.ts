/**
 * Match and exclude blocks, compiled to closures. They read only the request; preconditions and exceptions are evaluated
 * later, by the rule.
 */

export { filtersOf, matchedOperations } from './blocks.ts';
export { explainBlock, type FilterExplanation, type FilterPart } from './explain.ts';
export {
  compileKinds,
  compileWildcard,
  type KindMatcher,
  type KindSelector,
  parseKindSelector,
} from './kind-selector.ts';
export { compileAnnotations, compileSelector } from './label-match.ts';
export { compileMayMatchKind } from './may-match-kind.ts';
export { compileRuleMatch, type MatchOptions, type RuleMatcher } from './rule-match.ts';
