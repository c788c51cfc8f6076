/**
 * Which requests a rule is for: match and exclude blocks compiled to closures. Only the request itself is looked at;
 * preconditions and exceptions come later.
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
