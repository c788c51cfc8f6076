import { findKey, isMap, mapKeys } from './map.ts';
import { renderDouble } from './numbers.ts';
import { renderTimestamp } from './time.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  none,
} from './values.ts';

/** A value as Go's %v prints it in messages. */
export function renderGo(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : renderDouble(value);
  if (value instanceof CelDouble) return renderDouble(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value === null) return '0';
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelError) return value.message;
  if (value instanceof CelTimestamp) return renderTimestamp(value);
  if (value instanceof CelDuration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof CelBytes) return `[${[...value.bytes].join(' ')}]`;
  if (value instanceof CelOptional) return value === none ? 'optional.none()' : `optional(${renderGo(value.value)})`;
  if (Array.isArray(value)) return `[${value.map(renderInside).join(', ')}]`;
  if (isMap(value)) {
    return `{${mapKeys(value)
      .map((key) => `${renderGo(key)}: ${renderInside(findKey(value, key))}`)
      .join(', ')}}`;
  }
  return String(value);
}

/** A null of a document, inside of one of its lists and maps, is Go's nil. */
const renderInside = (value: unknown) => (value === null ? '<nil>' : renderGo(value));
