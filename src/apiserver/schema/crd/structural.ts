import { dequal } from 'dequal';
import { RE2JS } from 're2js';
import { errorMessage } from '../../../base/index.ts';
import { type FieldError, forbidden, invalid, renderFieldError, required } from '../field-error.ts';
import type { Path } from '../path.ts';
import { type Fields, isObject, listIn, objectIn, stringIn } from '../value.ts';

type Level = 'root' | 'field' | 'item';

/**
 * Whether a schema is structural: every field has a type, and what stands below a logical junctor only restricts
 * values. Pruning and defaulting rely on it. The errors come sorted, as the real server sorts them.
 */
export function checkStructural(schema: Fields, where: Path): FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, 'root', where, errors);
  checkCompleteness(schema, schema, where, where, errors);
  const keyed = errors.map((error) => [renderFieldError(error), error] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, error]) => error);
}

function checkNode(schema: Fields, level: Level, where: Path, errors: FieldError[]): void {
  const type = stringIn(schema, 'type');
  const items = objectIn(schema, 'items');
  const properties = objectIn(schema, 'properties');
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  if (type === 'array' && !items) errors.push(required(where.child('items'), 'must be specified'));
  if (items) checkNode(items, 'item', where.child('items'), errors);
  for (const key in properties) {
    const property = properties[key];
    if (isObject(property)) checkNode(property, 'field', where.child('properties').key(key), errors);
  }
  checkAdditional(schema, level, where, errors);
  checkExtensions(schema, where, errors);
  checkValues(
    schema,
    { skipAnyOf: isIntOrStringPair(schema['anyOf']), skipFirstAllOf: hasIntOrStringAllOf(schema) },
    where,
    errors,
  );
  checkType(schema, level, where, errors);
  if (level === 'root' || isEmbedded) {
    for (const key of ['kind', 'apiVersion']) {
      const property = objectIn(properties, key);
      if (property && property['type'] !== 'string') {
        errors.push(
          invalid(where.child('properties').key(key).child('type'), stringIn(property, 'type'), 'must be string'),
        );
      }
    }
  }
  const metadata = objectIn(properties, 'metadata');
  if (metadata)
    checkOwnMetadata(
      metadata,
      level,
      level === 'root' || isEmbedded,
      where.child('properties').key('metadata'),
      errors,
    );
  if (
    isEmbedded &&
    schema['x-kubernetes-preserve-unknown-fields'] !== true &&
    Object.keys(properties ?? {}).length === 0
  ) {
    const when = 'x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(where.child('properties'), `must not be empty if ${when}`));
  }
}

function checkAdditional(schema: Fields, level: Level, where: Path, errors: FieldError[]): void {
  const additional = schema['additionalProperties'];
  if (additional === undefined || additional === null) return;
  const here = where.child('additionalProperties');
  if (level === 'root') errors.push(forbidden(here, 'must not be used at the root'));
  if (isObject(additional)) checkNode(additional, 'field', here, errors);
  if (schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(here, 'must not be used if x-kubernetes-embedded-resource is set'));
  }
}

function checkExtensions(schema: Fields, where: Path, errors: FieldError[]): void {
  if (schema['x-kubernetes-int-or-string'] !== true) return;
  for (const key of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource']) {
    if (schema[key] === true) {
      errors.push(invalid(where.child(key), true, 'must be false if x-kubernetes-int-or-string is true'));
    }
  }
}

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function checkType(schema: Fields, level: Level, where: Path, errors: FieldError[]): void {
  const type = stringIn(schema, 'type');
  const here = where.child('type');
  const isOpen =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const must = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(here, must) : invalid(here, type, must));
  } else if (type === '' && !isOpen) errors.push(required(here, emptyType[level]));
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(here, type, 'must be object at the root'));
}

function checkOwnMetadata(metadata: Fields, level: Level, isMeta: boolean, where: Path, errors: FieldError[]): void {
  const type = stringIn(metadata, 'type');
  if (isMeta && type !== 'object') errors.push(invalid(where.child('type'), type, 'must be object'));
  if (level !== 'root') return;
  const { type: _, properties, default: __, description: ___, title: ____, ...rest } = metadata;
  const names = Object.keys(isObject(properties) ? properties : {});
  const isOnlyName = names.every((name) => name === 'name' || name === 'generateName');
  if (!isOnlyName || Object.keys(rest).length > 0) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(where, detail));
  }
}

interface Skips {
  readonly skipAnyOf: boolean;
  readonly skipFirstAllOf: boolean;
}
const skipNothing: Skips = { skipAnyOf: false, skipFirstAllOf: false };

/** The junctors and the pattern of a node, at any depth. */
function checkValues(schema: Fields, { skipAnyOf, skipFirstAllOf }: Skips, where: Path, errors: FieldError[]): void {
  for (const junctor of ['anyOf', 'allOf', 'oneOf']) {
    if (junctor === 'anyOf' && skipAnyOf) continue;
    for (const [i, branch] of listIn(schema, junctor).entries()) {
      const isSkipped = junctor === 'allOf' && i === 0 && skipFirstAllOf;
      const skips = { skipAnyOf: isSkipped, skipFirstAllOf: false };
      if (isObject(branch)) checkNested(branch, skips, where.child(junctor).at(i), errors);
    }
  }
  const not = objectIn(schema, 'not');
  if (not) checkNested(not, skipNothing, where.child('not'), errors);
  const pattern = stringIn(schema, 'pattern');
  if (pattern === '') return;
  try {
    RE2JS.compile(pattern);
  } catch (thrown) {
    const detail = `must be a valid regular expression, but isn't: ${errorMessage(thrown)}`;
    errors.push(invalid(where.child('pattern'), pattern, detail));
  }
}

const mustBeAbsent: readonly (readonly [string, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function checkNested(schema: Fields, skips: Skips, where: Path, errors: FieldError[]): void {
  checkValues(schema, skips, where, errors);
  const items = objectIn(schema, 'items');
  if (items) checkNested(items, skipNothing, where.child('items'), errors);
  const properties = objectIn(schema, 'properties');
  for (const key in properties) {
    const property = properties[key];
    if (isObject(property)) checkNested(property, skipNothing, where.child('properties').key(key), errors);
  }
  for (const [key, detail] of mustBeAbsent) if (isGiven(schema[key])) errors.push(forbidden(where.child(key), detail));
  if (properties && 'metadata' in properties) {
    errors.push(forbidden(where.child('properties').key('metadata'), 'must not be specified in a nested context'));
  }
}

function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}

const intOrStringPair = [{ type: 'integer' }, { type: 'string' }];
const isIntOrStringPair = (branches: unknown) => dequal(branches, intOrStringPair);
const hasIntOrStringAllOf = (schema: Fields) => {
  const [first] = listIn(schema, 'allOf');
  return isObject(first) && isIntOrStringPair(first['anyOf']);
};

/** What a junctor at the root restricts must be declared outside of it too. */
function checkCompleteness(
  nested: Fields,
  schema: Fields | undefined,
  where: Path,
  from: Path,
  errors: FieldError[],
): void {
  if (!schema) {
    errors.push(required(where, `because it is defined in ${from}`));
    return;
  }
  const not = objectIn(nested, 'not');
  if (not) checkNestedCompleteness(not, schema, where, from.child('not'), errors);
  for (const junctor of ['allOf', 'anyOf', 'oneOf']) {
    for (const [i, branch] of listIn(nested, junctor).entries()) {
      if (isObject(branch)) checkNestedCompleteness(branch, schema, where, from.child(junctor).at(i), errors);
    }
  }
}

function checkNestedCompleteness(
  nested: Fields,
  schema: Fields | undefined,
  where: Path,
  from: Path,
  errors: FieldError[],
): void {
  checkCompleteness(nested, schema, where, from, errors);
  if (!schema) return;
  const items = objectIn(nested, 'items');
  if (items)
    checkNestedCompleteness(items, objectIn(schema, 'items'), where.child('items'), from.child('items'), errors);
  const properties = objectIn(nested, 'properties');
  for (const key in properties) {
    const property = properties[key];
    const declared = objectIn(objectIn(schema, 'properties'), key);
    const here = where.child('properties').key(key);
    if (isObject(property))
      checkNestedCompleteness(property, declared, here, from.child('properties').key(key), errors);
  }
}
