/**
 * The patches of mutate rules, variables already resolved: strategic merges with Kyverno's anchors, and JSON patches.
 * The engine decides which elements a foreach visits, and in what order: each element's patch is one call, on the result
 * of the previous call.
 *
 * Invariants: arguments are not changed, and results share nothing with them; a patch that cannot be applied is an
 * outcome, never an exception; the size of a result is bounded.
 */
export { applyJson6902 } from './json6902.ts';
export { parseJson6902 } from './json6902-parse.ts';
export { type MergeOutcome, mergeStrategic } from './strategic.ts';
