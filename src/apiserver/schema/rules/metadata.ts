import { dequal } from 'dequal';
import {
  maxAnnotationsBytes,
  parseApiVersion,
  validateAnnotationKey,
  validateDnsLabel,
  validateLabelKey,
  validateLabelValue,
  validateQualifiedName,
} from '../../../object/index.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import type { NameRule } from './names.ts';

export const immutable = 'field is immutable';
export const negative = 'must be greater than or equal to 0';

const metadataPath = Path.of('metadata');

interface MetadataRules {
  readonly isNamespaced: boolean;
  readonly nameRule: NameRule;
}

/** The checks on `metadata` that every object goes through when it is created. */
export function checkMetadata(object: Fields, rules: MetadataRules, errors: FieldError[]): void {
  const metadata = objectIn(object, 'metadata') ?? {};
  checkName(metadata, rules, errors);
  const generation = numberIn(metadata, 'generation') ?? 0;
  if (generation < 0) errors.push(invalid(metadataPath.child('generation'), generation, negative));
  checkLabels(objectIn(metadata, 'labels'), metadataPath.child('labels'), errors);
  checkAnnotations(objectIn(metadata, 'annotations'), metadataPath.child('annotations'), errors);
  checkOwners(metadata, errors);
  for (const finalizer of listIn(metadata, 'finalizers')) {
    for (const message of validateQualifiedName(String(finalizer))) {
      errors.push(invalid(metadataPath.child('finalizers'), finalizer, message));
    }
  }
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Most built-in kinds also want finalizers to be qualified; the extension APIs and custom resources do not. */
export function checkFinalizerNames(object: Fields, errors: FieldError[]): void {
  for (const [i, finalizer] of listIn(objectIn(object, 'metadata'), 'finalizers').entries()) {
    const name = String(finalizer);
    if (name.includes('/') || standardFinalizers.includes(name)) continue;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalid(metadataPath.child('finalizers').at(i), name, detail));
  }
}

function checkName(metadata: Fields, { isNamespaced, nameRule }: MetadataRules, errors: FieldError[]): void {
  const generateName = stringIn(metadata, 'generateName');
  if (generateName !== '') {
    for (const message of nameRule(generateName, true)) {
      errors.push(invalid(metadataPath.child('generateName'), generateName, message));
    }
  }
  const name = stringIn(metadata, 'name');
  if (name === '') errors.push(required(metadataPath.child('name'), 'name or generateName is required'));
  else for (const message of nameRule(name, false)) errors.push(invalid(metadataPath.child('name'), name, message));
  const namespace = stringIn(metadata, 'namespace');
  const where = metadataPath.child('namespace');
  if (!isNamespaced) {
    if (namespace !== '') errors.push(forbidden(where, 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(where));
  else for (const message of validateDnsLabel(namespace)) errors.push(invalid(where, namespace, message));
}

/** Labels of an object or of a pod template. */
export function checkLabels(labels: Fields | undefined, where: Path, errors: FieldError[]): void {
  for (const key in labels) {
    for (const message of validateLabelKey(key)) errors.push(invalid(where, key, message));
    const value = labels[key];
    for (const message of validateLabelValue(String(value))) errors.push(invalid(where, value, message));
  }
}

export function checkAnnotations(annotations: Fields | undefined, where: Path, errors: FieldError[]): void {
  let bytes = 0;
  for (const key in annotations) {
    for (const message of validateAnnotationKey(key)) errors.push(invalid(where, key, message));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
  }
  if (bytes > maxAnnotationsBytes) errors.push(tooLong(where, maxAnnotationsBytes));
}

function checkOwners(metadata: Fields, errors: FieldError[]): void {
  const where = metadataPath.child('ownerReferences');
  const owners = listIn(metadata, 'ownerReferences');
  let controller = '';
  for (const owner of owners) {
    if (!isObject(owner)) continue;
    const apiVersion = stringIn(owner, 'apiVersion');
    if (parseApiVersion(apiVersion).version === '') {
      errors.push(invalid(where.child('apiVersion'), apiVersion, 'version must not be empty'));
    }
    for (const key of ['kind', 'name', 'uid']) {
      if (stringIn(owner, key) === '') errors.push(invalid(where.child(key), '', 'must not be empty'));
    }
    if (apiVersion === 'v1' && owner['kind'] === 'Event') {
      errors.push(invalid(where, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] !== true) continue;
    const current = `${stringIn(owner, 'kind')}/${stringIn(owner, 'name')}`;
    if (controller === '') controller = current;
    else {
      const both = `Found "true" in references for ${controller} and ${current}`;
      errors.push(invalid(where, owners, `Only one reference can have Controller set to true. ${both}`));
    }
  }
}

const immutableMetadata = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The checks on `metadata` when an object is replaced. */
export function checkMetadataUpdate(old: Fields, updated: Fields, errors: FieldError[]): void {
  const before = objectIn(old, 'metadata') ?? {};
  const after = objectIn(updated, 'metadata') ?? {};
  if (before['deletionTimestamp']) {
    const kept = new Set(listIn(before, 'finalizers'));
    const added = listIn(after, 'finalizers').filter((finalizer) => !kept.has(finalizer));
    if (added.length > 0) {
      const names = added.map((name) => JSON.stringify(name)).sort();
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names.join(', ')}}`;
      errors.push(forbidden(metadataPath.child('finalizers'), detail));
    }
  }
  if (stringIn(after, 'resourceVersion') === '') {
    errors.push(invalid(metadataPath.child('resourceVersion'), '', 'must be specified for an update'));
  }
  const generation = numberIn(after, 'generation') ?? 0;
  if (generation < (numberIn(before, 'generation') ?? 0)) {
    errors.push(invalid(metadataPath.child('generation'), generation, 'must not be decremented'));
  }
  for (const key of immutableMetadata) checkImmutable(before[key], after[key], metadataPath.child(key), errors);
  checkLabels(objectIn(after, 'labels'), metadataPath.child('labels'), errors);
  checkAnnotations(objectIn(after, 'annotations'), metadataPath.child('annotations'), errors);
  checkOwners(after, errors);
}

/** An error when the two differ; null and absent are the same. */
export function checkImmutable(before: unknown, after: unknown, where: Path, errors: FieldError[]): void {
  if (!isSame(before, after)) errors.push(invalid(where, after ?? null, immutable));
}

/** Equality as Kubernetes' "semantic" one: nothing, null and an empty collection do not differ. */
export function isSame(before: unknown, after: unknown): boolean {
  return before === after || (isNothing(before) && isNothing(after)) || dequal(before, after);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length === 0;
}
