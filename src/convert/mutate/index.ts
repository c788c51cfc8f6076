/**
 * The patches of classic mutate rules as mutations of a MutatingPolicy. A patch becomes a tree of changes, from which both
 * forms are written: an apply configuration, and JSON patches.
 */
export { convertMutation, type MutationForm } from './mutation.ts';
