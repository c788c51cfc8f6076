import type { KubeObject } from '../../object/index.ts';
import { crdStorage } from '../lifecycle/custom-resources.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import {
  checkCrd,
  checkRules,
  type FieldError,
  hasRules,
  invalid,
  validate,
  validateCreate,
  validateUpdate,
} from '../schema/index.ts';
import type { Call } from './context.ts';

/** Validation errors of a new object, after its name and uid are set. */
export function validateNew(
  object: KubeObject,
  definition: ResourceDefinition,
  call: Pick<Call, 'warnings'>,
): readonly FieldError[] {
  const errors = [
    ...validateCreate(object, { isNamespaced: definition.namespaced }),
    ...(definition.custom && definition.schema ? validate(object, definition.schema) : []),
    ...(definition.storage === crdStorage ? checkCrd(object) : []),
  ];
  return [...errors, ...ruleErrors(object, undefined, definition, errors, call)];
}

/** Validation errors of a new version of an object; for a subresource only of its part. */
export function validateChange(
  object: KubeObject,
  live: KubeObject,
  definition: ResourceDefinition,
  subresource: string,
  call: Pick<Call, 'warnings'>,
): readonly FieldError[] {
  if (subresource !== '' && !definition.custom) return [];
  const errors = [
    ...validateUpdate(live, object),
    ...(definition.custom && definition.schema ? validate(object, definition.schema, live) : []),
    ...(definition.storage === crdStorage ? checkCrd(object, live) : []),
  ];
  return [...errors, ...ruleErrors(object, live, definition, errors, call)];
}

/** Rules rely on values that fit their types and limits: other mistakes keep them from being evaluated. */
const blocking: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

function ruleErrors(
  object: KubeObject,
  live: KubeObject | undefined,
  { custom, schema }: ResourceDefinition,
  known: readonly FieldError[],
  { warnings }: Pick<Call, 'warnings'>,
): readonly FieldError[] {
  if (!custom || !schema || !hasRules(schema)) return [];
  if (known.some(({ reason }) => blocking.has(reason))) return [invalid('<nil>', null, unchecked)];
  const found = checkRules(object, schema, live);
  warnings.push(...found.warnings);
  return found.errors;
}
