/**
 * Who owns which field of an object, and server-side apply. Pure functions over plain JSON objects and the Schema of
 * their kind: no store, no defaults, no validation beyond what applying needs, no admission. No input is ever changed;
 * what a call leaves alone it returns by identity, so that "nothing changed" is visible to the caller at no cost.
 */
export { type ApplyOptions, applyObject } from './apply.ts';
export { type Comparison, compare } from './compare.ts';
export { FieldSet } from './field-set.ts';
export { fieldSetOf } from './field-set-of.ts';
export { managedFieldsProblem } from './managers.ts';
export type { Convert, Converted, WriteContext } from './ownership.ts';
export { FieldsError, type PathElement, renderPath } from './path-element.ts';
export { ignoreManagedTimes, type UpdateOptions, updateManagedFields } from './update.ts';
