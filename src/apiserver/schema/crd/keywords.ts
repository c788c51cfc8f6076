import type { Schema } from '../../../schema/index.ts';
import { resolveFieldPath } from '../cel/index.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts';
import type { Path } from '../path.ts';
import { type Fields, isObject, isUnset, listIn, objectIn, stringIn } from '../value.ts';

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

interface Context {
  readonly isRoot: boolean;
  readonly isInMetadata: boolean;
  /** Why a default may not stand here; empty where it may. */
  readonly noDefault: string | undefined;
}

/** Keywords that a custom resource's schema may not use, or not in this combination. */
export function checkKeywords(schema: Fields, where: Path): FieldError[] {
  const errors: FieldError[] = [];
  walk(schema, where, { isRoot: true, isInMetadata: false, noDefault: undefined }, errors);
  return errors;
}

function walk(schema: Fields, where: Path, context: Context, errors: FieldError[]): void {
  checkStandard(schema, where, context, errors);
  if (schema['uniqueItems'] === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(where.child('uniqueItems'), detail));
  }
  const below = { ...context, isRoot: false };
  const properties = objectIn(schema, 'properties') ?? {};
  const additional = schema['additionalProperties'];
  if (!isUnset(additional) && additional !== true && Object.keys(properties).length > 0) {
    errors.push(
      forbidden(where.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (isObject(additional)) {
    const noDefault = context.isInMetadata
      ? 'inside additionalProperties applying to object metadata'
      : context.noDefault;
    walk(additional, where.child('additionalProperties'), { ...below, noDefault }, errors);
  }
  for (const key in properties) {
    const property = properties[key];
    if (!isObject(property)) continue;
    const isMeta = key === 'metadata' || key === 'kind' || key === 'apiVersion';
    const isOwnMeta = isMeta && (context.isRoot || schema['x-kubernetes-embedded-resource'] === true);
    const child = isOwnMeta
      ? { isRoot: false, isInMetadata: true, noDefault: context.isRoot ? `in top-level ${key}` : context.noDefault }
      : below;
    walk(property, where.child('properties').key(key), child, errors);
  }
  for (const key of ['not', 'items']) {
    const nested = objectIn(schema, key);
    if (nested) walk(nested, where.child(key), below, errors);
  }
  for (const key of ['allOf', 'oneOf', 'anyOf']) {
    for (const [i, branch] of listIn(schema, key).entries()) {
      if (isObject(branch)) walk(branch, where.child(key).at(i), below, errors);
    }
  }
  checkMapType(schema, where, errors);
  checkListType(schema, where, errors);
  checkCelRules(schema, where, errors);
}

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function checkStandard(schema: Fields, where: Path, context: Context, errors: FieldError[]): void {
  const type = stringIn(schema, 'type');
  if (type !== '' && !types.includes(type)) errors.push(notSupported(where.child('type'), type, types));
  if (!isUnset(schema['default']) && context.noDefault !== undefined) {
    errors.push(forbidden(where.child('default'), `must not be set ${context.noDefault}`));
  }
  for (const key of unsupported) {
    if (!isUnset(schema[key]) && schema[key] !== '')
      errors.push(forbidden(where.child(key), `${key} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(where.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(schema['items'])) {
    errors.push(forbidden(where.child('items'), 'items must be a schema object and not an array'));
  }
  if (context.isInMetadata && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(where.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    const here = where.child('x-kubernetes-preserve-unknown-fields');
    errors.push(invalid(here, false, 'must be true or undefined'));
  }
}

function checkMapType(schema: Fields, where: Path, errors: FieldError[]): void {
  const mapType = schema['x-kubernetes-map-type'];
  if (isUnset(mapType)) return;
  requireType(schema, 'object', 'must be object if x-kubernetes-map-type is specified', where, errors);
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(where.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
}

function checkListType(schema: Fields, where: Path, errors: FieldError[]): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = listIn(schema, 'x-kubernetes-list-map-keys');
  const here = where.child('x-kubernetes-list-type');
  const isMap = listType === 'map';
  if (!isUnset(listType)) {
    requireType(schema, 'array', 'must be array if x-kubernetes-list-type is specified', where, errors);
    if (!isMap && listType !== 'set' && listType !== 'atomic') {
      errors.push(notSupported(here, listType, ['atomic', 'set', 'map']));
    }
  }
  if (keys.length > 0 && !isMap) {
    const must = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(isUnset(listType) ? required(here, must) : invalid(here, listType, must));
  }
  const items = objectIn(schema, 'items');
  if (listType === 'set' && items) checkSetItems(items, where.child('items'), errors);
  if (isMap) checkMapItems(items, keys.map(String), where, errors);
  if ((isMap || listType === 'set') && items?.['nullable'] === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(forbidden(where.child('items', 'nullable'), detail));
  }
}

function requireType(schema: Fields, type: string, must: string, where: Path, errors: FieldError[]): void {
  const given = stringIn(schema, 'type');
  if (given === type) return;
  errors.push(given === '' ? required(where.child('type'), must) : invalid(where.child('type'), given, must));
}

function checkSetItems(items: Fields, where: Path, errors: FieldError[]): void {
  const must = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items['x-kubernetes-list-type'];
  const mapType = items['x-kubernetes-map-type'];
  if (items['type'] === 'array' && !isUnset(listType) && listType !== 'atomic') {
    errors.push(invalid(where.child('x-kubernetes-list-type'), listType, must));
  }
  if (items['type'] === 'object' && mapType !== 'atomic') {
    errors.push(invalid(where.child('x-kubernetes-map-type'), mapType ?? null, must));
  }
}

function checkMapItems(items: Fields | undefined, keys: readonly string[], where: Path, errors: FieldError[]): void {
  const keysPath = where.child('x-kubernetes-list-map-keys');
  if (keys.length === 0) errors.push(required(keysPath, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) {
    errors.push(required(where.child('items'), 'must have a schema if x-kubernetes-list-type is map'));
    return;
  }
  if (items['type'] !== 'object') {
    const must = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(where.child('items', 'type'), stringIn(items, 'type'), must));
    return;
  }
  const requiredKeys = new Set(listIn(items, 'required'));
  const seen = new Set<string>();
  for (const key of keys) {
    const property = objectIn(objectIn(items, 'properties'), key);
    const here = where.child('items', 'properties').key(key);
    if (!property) errors.push(invalid(keysPath, keys, 'entries must all be names of item properties'));
    else if (property['type'] === 'array' || property['type'] === 'object') {
      const must = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(here.child('type'), items['type'], must));
    }
    if (seen.has(key)) errors.push(invalid(keysPath, keys, 'must not contain duplicate entries'));
    seen.add(key);
    if (!property) continue;
    const because = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!requiredKeys.has(key) && isUnset(property['default'])) {
      errors.push(required(here.child('default'), `${because} must have a default or be a required property`));
    }
    if (property['nullable'] === true) errors.push(forbidden(here.child('nullable'), `${because} cannot be nullable`));
  }
}

/** The form of CEL rules; what they say is not looked at here. */
function checkCelRules(schema: Fields, where: Path, errors: FieldError[]): void {
  for (const [i, rule] of listIn(schema, 'x-kubernetes-validations').entries()) {
    if (!isObject(rule)) continue;
    const here = where.child('x-kubernetes-validations').at(i);
    const text = stringIn(rule, 'rule').trim();
    const message = stringIn(rule, 'message');
    if (text === '') errors.push(required(here.child('rule'), 'rule is not specified'));
    else if (message !== '' && message.trim() === '') {
      errors.push(invalid(here.child('message'), message, 'must be non-empty if specified'));
    } else if (/[\r\n]/.test(message.trim())) {
      errors.push(invalid(here.child('message'), message, 'must not contain line breaks'));
    } else if (/[\r\n]/.test(text) && message.trim() === '') {
      errors.push(required(here.child('message'), 'message must be specified if rule contains line breaks'));
    }
    const messageExpression = stringIn(rule, 'messageExpression');
    if (messageExpression !== '' && messageExpression.trim() === '') {
      errors.push(required(here.child('messageExpression'), 'messageExpression must be non-empty if specified'));
    }
    const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
    const reason = rule['reason'];
    if (!isUnset(reason) && !reasons.includes(String(reason)))
      errors.push(notSupported(here.child('reason'), reason, reasons));
    checkFieldPath(stringIn(rule, 'fieldPath'), schema, here.child('fieldPath'), errors);
  }
}

function checkFieldPath(text: string, schema: Fields, where: Path, errors: FieldError[]): void {
  if (text === '') return;
  if (text.trim() === '') errors.push(invalid(where, text, 'must be non-empty if specified'));
  if (/[\r\n]/.test(text)) errors.push(invalid(where, text, 'must not contain line breaks'));
  if (!resolveFieldPath(text, schema as Schema)) errors.push(invalid(where, text, 'must be a valid path'));
}
