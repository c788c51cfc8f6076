/**
 * Kubernetes objects as plain data: their identity, metadata, selectors, quantities and patches. Everything here is
 * pure: no I/O, no clock, and no input is ever modified.
 */

export { DurationError, parseDuration, parseDurationMs, renderDuration } from '../base/index.ts';
export {
  findCondition,
  isTrue,
  type NextCondition,
  setCondition,
  withCondition,
  withoutCondition,
} from './conditions.ts';
export { deepEqual, semanticEqual } from './equality.ts';
export { parseFieldSelector } from './field-selector.ts';
export {
  type GroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  gvkOf,
  parseApiVersion,
  renderApiVersion,
  renderGroupResource,
  renderGvk,
  renderGvr,
} from './gvk.ts';
export { diffJson } from './json-diff.ts';
export { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
export type { LabelMatcher, Labels } from './label-requirement.ts';
export { type LabelSelector, labelSelectorOf, parseLabelSelector } from './label-selector.ts';
export { applyMergePatch } from './merge-patch.ts';
export { controllerOf, keyOf } from './metadata.ts';
export {
  maskTrailingDash,
  maxAnnotationsBytes,
  validateAnnotationKey,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelKey,
  validateLabelValue,
  validateQualifiedName,
} from './names.ts';
export type { PatchSchema } from './patch-schema.ts';
export {
  addQuantities,
  parseQuantity,
  type Quantity,
  QuantityError,
  renderQuantity,
} from './quantity.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
export type { Condition, FieldsV1, KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './types.ts';
