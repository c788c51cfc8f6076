import type { KubeObject } from '../../object/index.ts';
import { crdStorage } from '../lifecycle/custom-resources.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { checkCrd, type FieldError, forbidden, validate, validateCreate, validateUpdate } from '../schema/index.ts';

/** The mistakes in a new object, its name and uid already given. */
export function validateNew(object: KubeObject, definition: ResourceDefinition): readonly FieldError[] {
  return [
    ...validateCreate(object, { isNamespaced: definition.namespaced }),
    ...(definition.custom && definition.schema ? validate(object, definition.schema) : []),
    ...(definition.storage === crdStorage ? checkCrd(object) : []),
    ...unsupported(object),
  ];
}

/** The mistakes in a new version of an object; a subresource is checked for its own part only. */
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
    ...unsupported(object),
  ];
}

/** Better refused than silently ignored: a webhook whose conditions are not evaluated would see too much. */
function unsupported(object: KubeObject): readonly FieldError[] {
  if (!object.kind.endsWith('WebhookConfiguration')) return [];
  const webhooks =
    (object['webhooks'] as readonly { readonly matchConditions?: readonly unknown[] }[] | undefined) ?? [];
  return webhooks.flatMap(({ matchConditions }, i) =>
    matchConditions && matchConditions.length > 0
      ? [forbidden(`webhooks[${i}].matchConditions`, 'the embedded cluster does not evaluate match conditions yet')]
      : [],
  );
}
