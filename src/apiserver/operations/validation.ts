import type { KubeObject } from '../../object/index.ts';
import { crdStorage } from '../lifecycle/custom-resources.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { checkCrd, type FieldError, validate, validateCreate, validateUpdate } from '../schema/index.ts';

/** Validation errors of a new object, after its name and uid are set. */
export function validateNew(object: KubeObject, definition: ResourceDefinition): readonly FieldError[] {
  return [
    ...validateCreate(object, { isNamespaced: definition.namespaced }),
    ...(definition.custom && definition.schema ? validate(object, definition.schema) : []),
    ...(definition.storage === crdStorage ? checkCrd(object) : []),
  ];
}

/** Validation errors of a new version of an object; for a subresource only of its part. */
export function validateChange(
  object: KubeObject,
  live: KubeObject,
  definition: ResourceDefinition,
  subresource: string,
): readonly FieldError[] {
  if (subresource !== '' && !definition.custom) return [];
  return [
    ...validateUpdate(live, object),
    ...(definition.custom && definition.schema ? validate(object, definition.schema, live) : []),
    ...(definition.storage === crdStorage ? checkCrd(object, live) : []),
  ];
}
