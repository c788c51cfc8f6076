/**
 * What objects of a kind look like, as data: the schemas that servers publish, those of the built-in kinds, and the merge
 * of a partial object into a whole one by them (structured merge). It knows no server, no ownership and no policies.
 *
 * Invariants: no input is ever changed; unchanged parts are returned by identity, so that a caller detects "nothing
 * changed" at no cost.
 */
export { builtinData, builtinSchemaOf } from './builtin-data.ts';
export { checkApplied } from './check.ts';
export { mergeConfiguration } from './configuration.ts';
export { schemaOfDefinition } from './definition.ts';
export { type BuiltinData, type LinkedSchemas, linkSchemas, objectMetaDefinition, type RawSchema } from './link.ts';
export { mergeApplied } from './merge.ts';
export { objectMetaSchema } from './object-meta.ts';
export {
  comparePathElements,
  FieldsError,
  fieldElement,
  type PathElement,
  parsePathElement,
  renderPath,
} from './path-element.ts';
export { deducedShape, type ListShape, type MapShape, type Shape, shapeOfKind } from './shape.ts';
export type { Schema, ValidationRule } from './types.ts';
export {
  asList,
  asMap,
  equalJson,
  type Form,
  fieldOf,
  formOf,
  groupItems,
  type Items,
  isEmptyMap,
  itemElement,
} from './value.ts';
