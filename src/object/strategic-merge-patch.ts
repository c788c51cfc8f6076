import { isJsonObject, type Json, type JsonObject, setOwn } from '../base/index.ts';
import { PatchError } from './patch-error.ts';
import { elementSchema, type PatchRule, type PatchSchema, ruleOf } from './patch-schema.ts';
import { checkAgainstOrder, mergeList, putInOrder, serverOrderOf, typeOf } from './strategic-list.ts';

type Mutable = Record<string, Json | undefined>;

const patchDirective = '$patch';
const retainKeysDirective = '$retainKeys';
const orderPrefix = '$setElementOrder';
const deletionPrefix = '$deleteFromPrimitiveList';

/**
 * The API server's strategic merge (not kustomize's). Merge keys and strategies come from `schema`; directives in the
 * patch apply where the original has a value. A new value is taken as it is, without nulls and without elements that
 * hold `$patch`: other directives inside it stay, and the kind's schema prunes them, as upstream.
 */
export function applyStrategicMergePatch(original: unknown, patch: unknown, schema: PatchSchema | undefined): Json {
  if (!isJsonObject(original) || !isJsonObject(patch)) throw new PatchError('invalid', 'invalid JSON document');
  return mergeObjects(original, patch, schema);
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: PatchSchema | undefined): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return followDirective(patch);
  const result: Mutable = { ...original };
  const rest: Mutable = { ...patch };
  retainKeys(result, rest);
  for (const key of Object.keys(rest)) {
    if (key.startsWith(orderPrefix)) mergeOrderedList(result, rest, key, schema);
  }
  for (const [key, value] of Object.entries(rest)) {
    if (value !== undefined) mergeField(result, key, value, schema);
  }
  return result;
}

function followDirective(patch: JsonObject): JsonObject {
  const { [patchDirective]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new PatchError('inapplicable', `unknown patch type: ${JSON.stringify(directive)}`);
}

function retainKeys(result: Mutable, patch: Mutable): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const retained = patch[retainKeysDirective];
  delete patch[retainKeysDirective];
  const invalid = new PatchError('invalid', 'invalid patch format of retainKeys');
  if (!Array.isArray(retained)) throw invalid;
  const keys = new Set<unknown>(retained);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deletionPrefix) || key.startsWith(orderPrefix)) continue;
    if (!keys.has(key)) throw invalid;
  }
  for (const key of Object.keys(result)) if (!keys.has(key)) delete result[key];
}

/** `$setElementOrder/<field>` with the field itself: both are removed from `patch`. */
function mergeOrderedList(result: Mutable, patch: Mutable, directive: string, schema: PatchSchema | undefined): void {
  const order = patch[directive];
  delete patch[directive];
  const field = fieldOfDirective(directive, orderPrefix, 'setElementOrder list');
  const before = listAt(result, field);
  const change = listAt(patch, field);
  if (!Array.isArray(order)) throw notAList(directive, order);
  const rule = ruleOf(schema, field);
  if (change) checkAgainstOrder(change, order, rule.mergeKey);
  if (!before && !change) return;
  let merged = before ?? [];
  if (change) merged = before ? mergeListField(before, change, rule) : elementsWithoutDirectives(change);
  const isMerged = before && change && rule.strategy === 'merge';
  const inOrder = putInOrder(merged, {
    patchOrder: order,
    serverOrder: isMerged ? serverOrderOf(before, change, rule.mergeKey) : (before ?? []),
    mergeKey: rule.mergeKey,
    all: [before ?? [], change ?? []],
  });
  setOwn(result, field, inOrder);
  delete patch[field];
}

function mergeField(result: Mutable, patchKey: string, value: Json, schema: PatchSchema | undefined): void {
  const isDeletion = patchKey.startsWith(deletionPrefix);
  const key = isDeletion ? fieldOfDirective(patchKey, deletionPrefix, 'primitive list') : patchKey;
  if (value === null) {
    delete result[key];
    return;
  }
  const current = Object.hasOwn(result, key) ? result[key] : undefined;
  if (current === undefined || typeOf(current) !== typeOf(value)) {
    if (!isDeletion) put(result, key, withoutDirectives(withoutNulls(value)));
    return;
  }
  const rule = ruleOf(schema, key);
  if (isJsonObject(current) && isJsonObject(value)) {
    result[key] = rule.strategy === 'replace' ? value : mergeObjects(current, value, rule.schema);
  } else if (Array.isArray(current) && Array.isArray(value)) {
    result[key] = mergeListField(current, value, rule, isDeletion);
  } else {
    result[key] = value;
  }
}

function mergeListField(
  original: readonly Json[],
  patch: readonly Json[],
  rule: PatchRule,
  isDeletion = false,
): readonly Json[] {
  // A deletion list applies with any strategy of the field.
  if (rule.strategy !== 'merge' && !isDeletion) return patch;
  const schema = elementSchema(rule.schema);
  return mergeList(original, patch, {
    mergeKey: rule.mergeKey,
    isDeletion,
    mergeElements: (before, change) => mergeObjects(before, change, schema),
  });
}

function put(result: Mutable, key: string, value: Json | undefined): void {
  if (value === undefined) delete result[key];
  else setOwn(result, key, value);
}

/** Undefined for an object that holds `$patch`: its target does not exist. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return elementsWithoutDirectives(value);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const result: Mutable = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) put(result, key, withoutDirectives(item));
  }
  return result;
}

function elementsWithoutDirectives(list: readonly Json[]): readonly Json[] {
  return list.map(withoutDirectives).filter((item) => item !== undefined);
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const result: Mutable = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) setOwn(result, key, withoutNulls(item));
  }
  return result;
}

function fieldOfDirective(key: string, prefix: string, what: string): string {
  const slash = key.indexOf('/');
  if (slash !== prefix.length) throw new PatchError('invalid', `invalid patch format of ${what}`);
  return key.slice(slash + 1);
}

function listAt(object: Mutable, field: string): readonly Json[] | undefined {
  if (!Object.hasOwn(object, field)) return undefined;
  const value = object[field];
  if (!Array.isArray(value)) throw notAList(field, value);
  return value;
}

function notAList(field: string, value: unknown): PatchError {
  return new PatchError(
    'inapplicable',
    `${field}: expected a list, but received ${JSON.stringify(value) ?? 'nothing'}`,
  );
}
