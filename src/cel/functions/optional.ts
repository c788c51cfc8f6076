import type { FunctionDecl } from '../environment.ts';
import { boolType, listType, optionalType, param } from '../types.ts';
import { isMap, mapSize } from '../values/map.ts';
import { renderGo } from '../values/render.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelOptional,
  CelTimestamp,
  CelUint,
  none,
} from '../values/values.ts';
import { declare, form, member } from './declare.ts';

const V = param('V');
const optionalV = optionalType(V);
const listV = listType(V);

const missing = new CelError('optional.none() dereference');

/** Empty, zero, false and null. */
function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelBytes) return value.bytes.length === 0;
  if (value instanceof CelTimestamp) return value.seconds === -62135596800 && value.nanos === 0;
  return isMap(value) && mapSize(value) === 0;
}

const of = (value: unknown) => new CelOptional(value);
const at = (list: readonly unknown[], index: number) => (list.length === 0 ? none : of(list.at(index)));

function unwrap(list: readonly unknown[]): unknown {
  const values: unknown[] = [];
  for (const item of list) {
    if (!(item instanceof CelOptional)) return new CelError(`value ${renderGo(item)} is not optional`);
    if (item !== none) values.push(item.value);
  }
  return values;
}

export const optionalFunctions: readonly FunctionDecl[] = [
  declare('optional.of', form('optional_of', [V], optionalV, of)),
  declare(
    'optional.ofNonZeroValue',
    form('optional_ofNonZeroValue', [V], optionalV, (value: unknown) => (isZero(value) ? none : of(value))),
  ),
  declare(
    'optional.none',
    form('optional_none', [], optionalV, () => none),
  ),
  declare(
    'value',
    member('optional_value', [optionalV], V, (optional: CelOptional) => (optional === none ? missing : optional.value)),
  ),
  declare(
    'hasValue',
    member('optional_hasValue', [optionalV], boolType, (optional: CelOptional) => optional !== none),
  ),
  declare('or', member('optional_or_optional', [optionalV, optionalV], optionalV)),
  declare('orValue', member('optional_orValue_value', [optionalV, V], V)),
  declare(
    'first',
    member('list_first', [listV], optionalV, (list: readonly unknown[]) => at(list, 0)),
  ),
  declare(
    'last',
    member('list_last', [listV], optionalV, (list: readonly unknown[]) => at(list, -1)),
  ),
  declare('optional.unwrap', form('optional_unwrap', [listType(optionalV)], listV, unwrap)),
  declare('unwrapOpt', member('optional_unwrapOpt', [listType(optionalV)], listV, unwrap)),
];
