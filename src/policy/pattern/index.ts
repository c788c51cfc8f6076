/**
 * Kyverno's patterns: an overlay with anchors, wildcards and comparisons that an object must look like, compiled once
 * to closures. Variables and references are resolved before; what an outcome means for a rule is decided elsewhere.
 *
 * Invariants: matching changes neither side and throws nothing; the outcome depends on the pattern and the object
 * alone, not on the order of keys; no text of an object can turn a failure into a skip.
 */
export { durationOf, quantityOf } from './amount.ts';
export { type Anchor, type AnchorKind, parseAnchor, renderAnchor } from './anchor.ts';
export { goText } from './go-text.ts';
export { parseGoFloat } from './number.ts';
export { operatorOf, type ScalarOperator } from './operator.ts';
export { compilePattern, type PatternOutcome, type PatternProgram } from './program.ts';
export { compileScalar, matchScalar, type ScalarCheck } from './scalar.ts';
export { containsWildcard, matchesWildcard } from './wildcard.ts';
