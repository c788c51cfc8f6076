/**
 * Kyverno's patterns: an overlay with anchors, wildcards and comparisons that an object must match, compiled once to
 * closures. Variables and references are resolved before; the consequences of an outcome are decided by the rule.
 *
 * Invariants: matching changes neither side and does not throw; the outcome depends only on the pattern and the object,
 * not on the order of keys; no text of an object can turn a failure into a skip.
 */
export { durationOf, quantityOf } from './amount.ts';
export { type Anchor, parseAnchor, renderAnchor } from './anchor.ts';
export { goText } from './go-text.ts';
export { parseGoFloat } from './number.ts';
export { operatorOf } from './operator.ts';
export { compilePattern, type PatternOutcome } from './program.ts';
export { matchScalar } from './scalar.ts';
export { containsWildcard, matchesWildcard } from './wildcard.ts';
