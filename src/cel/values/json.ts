import { setOwn } from '../../base/index.ts';
import { findKey, isMap, mapKeys } from './map.ts';
import { renderGo } from './render.ts';
import { renderSeconds, renderTimestamp } from './time.ts';
import {
  Boxed,
  CelBytes,
  CelDouble,
  CelDuration,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  none,
} from './values.ts';

/** A value for people and files: what JSON cannot carry becomes text, an optional what is in it. */
export function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (isMap(value)) {
    const object: Record<string, unknown> = {};
    for (const key of mapKeys(value)) setOwn(object, renderGo(key), toJson(findKey(value, key)));
    return object;
  }
  if (!(value instanceof Boxed)) return value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint) return value.value <= 9007199254740991n ? Number(value.value) : value.value;
  if (value instanceof CelBytes) return Buffer.from(value.bytes).toString('base64');
  if (value instanceof CelDuration) return renderSeconds(value);
  if (value instanceof CelTimestamp) return renderTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional) return value === none ? null : toJson(value.value);
  return value.typeName;
}
