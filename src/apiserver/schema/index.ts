/**
 * Schemas of the embedded API server: what an object of a kind may look like, what it is when nothing is said, and
 * what is wrong with it, all in the words of the real server. Built-in kinds are decoded, defaulted and checked as
 * Go structs are; custom resources by their structural schema. Pure: no I/O, no clock, no object is changed in
 * place, and an object that needs no change comes back as the very same one. Not here: what the server generates
 * (uids, addresses, Job selectors), admission.
 *
 * The way of a built-in object: pruneUnknown, decodeTyped, applyBuiltinDefaults, validateCreate or validateUpdate.
 * The way of a custom one: pruneUnknown, applyDefaults, validate, and validateCreate or validateUpdate for metadata.
 */

export type { Schema } from '../../schema/index.ts';
export {
  type BuiltinData,
  type LinkedSchemas,
  linkSchemas,
  objectMetaDefinition,
  type RawSchema,
} from '../../schema/index.ts';
export { applyDefaults } from './apply-defaults.ts';
export { checkRules, hasRules } from './cel/index.ts';
export { checkCrd } from './crd/index.ts';
export { decodeTyped, renderDecodeError } from './decode.ts';
export { applyBuiltinDefaults } from './defaults/index.ts';
export {
  type FieldError,
  invalid,
  invalidStatus,
  notSupported,
  renderFieldError,
  required,
} from './field-error.ts';
export { pruneUnknown, renderUnknownFields } from './prune.ts';
export { validateCreate, validateUpdate } from './rules/index.ts';
export { validate } from './validate.ts';
export type { Fields } from './value.ts';
