import { parseDuration, parseQuantity } from '../../object/index.ts';

/** Longer texts are neither durations nor quantities, so they are not parsed. */
const maxLength = 256;

const nanosPerUnit = 1_000_000_000n;

/** The nanoseconds of a text that is a duration (`1h30m`, `0`); undefined for any other text. */
export function durationOf(text: string): bigint | undefined {
  if (!startsLikeNumber(text)) return undefined;
  // A number ends in a digit, and a duration other than zero does not: skip most texts early.
  if (isDigit(text.charCodeAt(text.length - 1)) && !/^[+-]?0$/.test(text)) return undefined;
  return attempt(() => parseDuration(text));
}

/** The billionths of a text that is a quantity (`100m`, `1.5Gi`, `3`); undefined for any other text. */
export function quantityOf(text: string): bigint | undefined {
  // Most are small integers, which need no parser.
  if (text.length <= 9 && isDigits(text)) return BigInt(Number(text)) * nanosPerUnit;
  if (!startsLikeNumber(text) || !/^[+-]?[\d.]+[eEinumkKMGTP]*[-+]?\d*$/.test(text)) return undefined;
  return attempt(() => parseQuantity(text).nanos);
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return text.length > 0;
}

function startsLikeNumber(text: string): boolean {
  if (text.length === 0 || text.length > maxLength) return false;
  const first = text.charCodeAt(0);
  return isDigit(first) || first === 0x2b || first === 0x2d || first === 0x2e;
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // The only error is that the text is not a quantity.
    return undefined;
  }
}
