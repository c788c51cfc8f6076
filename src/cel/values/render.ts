import { findKey, isMap, mapKeys } from './map.ts';
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

/**
 * A double with the fewest digits that tell it apart, as Go prints it: with an exponent below -4 and from `limit` on,
 * which is 6 for conversions and 21 in messages.
 */
export function renderDouble(value: number, limit = 6): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < limit) return plainDigits(value, digits, power);
  const size = Math.abs(power);
  return `${digits}e${power < 0 ? '-' : '+'}${size < 10 ? '0' : ''}${size}`;
}

function plainDigits(value: number, digits: string, power: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const sign = value < 0 ? '-' : '';
  const figures = digits.replace('-', '').replace('.', '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${figures}`;
  return sign + figures.padEnd(power + 1, '0');
}

/** A value as Go's %v prints it in messages. */
export function renderGo(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : renderDouble(value, 21);
  if (value instanceof CelDouble) return renderDouble(value.value, 21);
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
