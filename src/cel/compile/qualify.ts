import { findKey, indexOf, isMap } from '../values/map.ts';
import { renderGo } from '../values/render.ts';
import { Abnormal, CelError, CelObject, CelUint, isDouble, isInt, isPlainMap } from '../values/values.ts';

/** `obj.key` and `obj[key]`: undefined where it is absent, an error where the key cannot be one. */
export function find(object: unknown, key: unknown): unknown {
  if (object instanceof Abnormal) return object;
  if (isMap(object)) return findKey(object, key);
  if (object instanceof CelObject) return findKey(object.fields, key);
  if (Array.isArray(object)) {
    const index = indexOf(key);
    return typeof index === 'number' ? object[index] : index;
  }
  return undefined;
}

export function missing(object: unknown, key: unknown): CelError {
  return new CelError(`${Array.isArray(object) ? 'index out of bounds' : 'no such key'}: ${renderGo(key)}`);
}

/** A field by a name that is known: fast for plain maps, which almost all are. */
export function fieldOf(object: unknown, name: string): unknown {
  return isPlainMap(object) ? (Object.hasOwn(object, name) ? object[name] : undefined) : find(object, name);
}

/** What may stand in brackets, by its type. */
export function isKey(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isInt(value) ||
    isDouble(value) ||
    value instanceof CelUint ||
    value instanceof Abnormal
  );
}

const goTypes: Readonly<Record<string, string>> = {
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  string: 'types.String',
  bytes: 'types.Bytes',
  bool: 'types.Bool',
  null_type: 'types.Null',
  'google.protobuf.Duration': 'types.Duration',
  'google.protobuf.Timestamp': 'types.Timestamp',
  optional_type: '*types.Optional',
  type: '*types.Type',
  list: '*types.baseList',
  map: '*types.baseMap',
  'kubernetes.Quantity': 'cel.Quantity',
  'kubernetes.URL': 'cel.URL',
  'kubernetes.Semver': 'cel.Semver',
  'kubernetes.NamedFormat': 'cel.Format',
  'net.IP': 'cel.IP',
  'net.CIDR': 'cel.CIDR',
};

/** The name of a value's type in the reference implementation, which some messages show. */
export function goTypeOf(typeName: string): string {
  return goTypes[typeName] ?? typeName;
}

const nativeTypes: Readonly<Record<string, string>> = {
  null_type: '<nil>',
  list: '[]interface {}',
  map: 'map[string]interface {}',
};

/** The same for what comes from a document. */
export function nativeTypeOf(typeName: string): string {
  return nativeTypes[typeName] ?? goTypeOf(typeName);
}
