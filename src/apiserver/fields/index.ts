/**
 * Field ownership and server-side apply. Pure functions on plain JSON objects and the Schema of their kind: no store,
 * no defaults, no admission, and no validation beyond what apply needs.
 *
 * Invariants: no input is ever changed; unchanged parts are returned by identity, so that a caller detects "nothing
 * changed" at no cost.
 */
export { applyObject } from './apply.ts';
export { FieldSet } from './field-set.ts';
export { ignoreManagedTimes, updateManagedFields } from './update.ts';
