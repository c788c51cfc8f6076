/**
 * The patches of mutate rules, variables already resolved: strategic merges with Kyverno's anchors, and JSON patches.
 * Which elements a foreach visits, and in what order, is the engine's affair: each element's patch is one call here, on
 * the resource that the call before left.
 *
 * Invariants: no argument is changed, and a result shares nothing with them; a patch that cannot be applied is an
 * outcome, never an exception; a patch cannot grow a resource without end.
 */
export { applyJson6902 } from './json6902.ts';
export { type Json6902Operation, type Json6902Parse, parseJson6902 } from './json6902-parse.ts';
export { builtInListKeys, type ListField, type ListKeys, type ListSchema } from './list-keys.ts';
export { type MergeOptions, type MergeOutcome, mergeStrategic, nothingToDo } from './strategic.ts';
export { isUnchanged } from './unchanged.ts';
