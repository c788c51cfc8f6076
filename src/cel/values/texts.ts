import { parseCelDuration, parseTimestamp } from './time.ts';
import { CelBytes, CelDouble, type CelDuration, CelError, type CelTimestamp } from './values.ts';

/** Values that JSON has as texts or numbers only, as CEL values. */

export const bytesOf = (base64: string): CelBytes => new CelBytes(new Uint8Array(Buffer.from(base64, 'base64')));

/** A number that is a double whatever it looks like. */
export const doubleOfNumber = (value: number): number | CelDouble =>
  Number.isSafeInteger(value) ? new CelDouble(value) : value;

export const timeOf = (text: string): CelTimestamp | CelError => parseTimestamp(text);

export function dateOf(text: string): CelTimestamp | CelError {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
    ? parseTimestamp(`${text}T00:00:00Z`)
    : new CelError(`Invalid date formatted string ${text}`);
}

/** As Go writes it; the words that OpenAPI knows beside, such as `2 days`, are no durations here. */
export const durationOfText = (text: string): CelDuration | CelError => parseCelDuration(text);
