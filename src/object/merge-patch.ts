import { getOwn, isJsonObject, type Json, type JsonObject, setOwn } from '../base/index.ts';
import { PatchError } from './patch-error.ts';

/**
 * RFC 7386 as the API server applies it: a patch is an object, and nulls inside a new value are dropped even below
 * lists. Neither input is modified; the result shares what did not change.
 */
export function applyMergePatch(document: unknown, patch: unknown): Json {
  if (!isJsonObject(patch)) throw new PatchError('invalid', 'a merge patch must be an object');
  if (!isJsonObject(document)) return withoutNulls(patch);
  return mergeObjects(document, patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, Json | undefined> = { ...document };
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[key];
    else setOwn(result, key, mergeValue(getOwn(result, key), value));
  }
  return result;
}

function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : patch;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => (item === null ? null : withoutNulls(item)));
  if (!isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== null && item !== undefined) setOwn(result, key, withoutNulls(item));
  }
  return result;
}
