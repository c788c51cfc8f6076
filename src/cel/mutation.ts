import type { Environment } from './environment.ts';
import { declare, form, merge } from './functions/declare.ts';
import { type CelType, dynType, listType, openStructType, stringType, structType } from './types.ts';
import { findKey, isMap, mapKeys } from './values/map.ts';
import { CelObject } from './values/values.ts';

/** The whole object that an apply configuration makes. */
export const objectType: CelType = openStructType('Object');

const jsonPatchType: CelType = structType('JSONPatch', {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
});
export const jsonPatchListType: CelType = listType(jsonPatchType);

const escapeKey = declare(
  'jsonpatch.escapeKey',
  form('string_jsonpatch_escapeKey_string', [stringType], stringType, (key: string) =>
    key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
);

/** What expressions of mutations have in addition: the types that they write objects and patches with. */
export function withMutations(environment: Environment): Environment {
  return {
    ...environment,
    functions: merge([[...environment.functions.values()], [escapeKey]]),
    types: new Map([...environment.types, [jsonPatchType.name, jsonPatchType]]),
    resolveType: (name) =>
      name === 'Object' || name.startsWith('Object.') ? openStructType(name) : environment.resolveType?.(name),
  };
}

/** Where a struct is not named after its place: the type of `spec.template` of an object is `Object.spec.template`. */
export function misplacedTypes(value: CelObject): readonly string[] {
  return misplacedUnder(value, value.typeName);
}

function misplacedUnder(value: unknown, expected: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => misplacedUnder(item, expected));
  if (isMap(value)) return mapKeys(value).flatMap((key) => misplacedUnder(findKey(value, key), expected));
  if (!(value instanceof CelObject)) return [];
  const { typeName, fields } = value;
  const inside = Object.entries(fields).flatMap(([name, field]) => misplacedUnder(field, `${expected}.${name}`));
  if (typeName === expected) return inside;
  const shown = `${JSON.stringify(typeName)}, expected ${JSON.stringify(expected)}`;
  return [`unexpected type name ${shown}, which matches field name path from root Object type`, ...inside];
}
