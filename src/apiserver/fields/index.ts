/**
 * Field ownership and server-side apply. Pure functions on plain JSON objects and the Schema of their kind: no store,
 * no defaults, no admission, and no validation beyond what apply needs.
 *
 * Invariants: no input is ever changed; unchanged parts are returned by identity, so that a caller detects "nothing
 * changed" at no cost.
 */
export { type ApplyOptions, applyObject } from './apply.ts';
export { type Comparison, compare } from './compare.ts';
export { FieldSet } from './field-set.ts';
export { fieldSetOf } from './field-set-of.ts';
export { managedFieldsProblem } from './managers.ts';
export type { Convert, Converted, WriteContext } from './ownership.ts';
export { FieldsError, type PathElement, renderPath } from './path-element.ts';
export { ignoreManagedTimes, type UpdateOptions, updateManagedFields } from './update.ts';
