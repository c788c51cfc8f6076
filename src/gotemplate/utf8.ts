import { isUtf8 } from 'node:buffer';

/**
 * Go's strings are bytes; ours are UTF-16. A byte that is not part of valid UTF-8 (half of a character that was cut,
 * decoded base64) is carried as the lone surrogate U+DC00 + byte, and becomes itself again when bytes are asked for.
 */
const escapeBase = 0xdc00;
const loneSurrogate = /\p{Surrogate}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII as a whole.
const notAscii = /[^\x00-\x7f]/;

const isAscii = (text: string): boolean => !notAscii.test(text);

export function encodeUtf8(text: string): Buffer {
  if (!loneSurrogate.test(text)) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && isLow(text.charCodeAt(i + 1))) i++;
    else if (unit >= escapeBase + 0x80 && unit <= escapeBase + 0xff) {
      parts.push(Buffer.from(text.slice(start, i), 'utf8'), Buffer.of(unit - escapeBase));
      start = i + 1;
    }
  }
  parts.push(Buffer.from(text.slice(start), 'utf8'));
  return Buffer.concat(parts);
}

const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString('utf8');
  let text = '';
  for (let i = 0; i < buffer.length; ) {
    const size = sequenceLength(buffer, i);
    text += size === 0 ? String.fromCharCode(escapeBase + buffer[i]!) : buffer.toString('utf8', i, i + size);
    i += size || 1;
  }
  return text;
}

/** Bytes of the character that starts at `i`, 0 when none does. */
function sequenceLength(bytes: Buffer, i: number): number {
  const first = bytes[i]!;
  const size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return size > 0 && isUtf8(bytes.subarray(i, i + size)) ? size : 0;
}

export function byteLength(text: string): number {
  if (isAscii(text)) return text.length;
  return loneSurrogate.test(text) ? encodeUtf8(text).length : Buffer.byteLength(text, 'utf8');
}

/** `text[start:end]` in bytes. */
export function sliceBytes(text: string, start: number, end: number): string {
  return isAscii(text) ? text.slice(start, end) : decodeUtf8(encodeUtf8(text).subarray(start, end));
}

/** Joined halves become characters again. */
export const joinBytes = (text: string): string => (loneSurrogate.test(text) ? decodeUtf8(encodeUtf8(text)) : text);

/** Joined halves become characters again; what is still not UTF-8 becomes U+FFFD. */
export function toWellFormed(text: string): string {
  if (!loneSurrogate.test(text)) return text;
  return encodeUtf8(text).toString('utf8');
}

/** The byte that a code point of our strings stands for, or undefined for a real character. */
export function escapedByte(codePoint: number): number | undefined {
  return codePoint >= escapeBase + 0x80 && codePoint <= escapeBase + 0xff ? codePoint - escapeBase : undefined;
}

/** Go's order of strings: by bytes, which is by code points. UTF-16 differs only where surrogates meet U+E000 and up. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const plain = a < b ? -1 : 1;
  if (isAscii(a) || isAscii(b)) return plain;
  return Buffer.compare(encodeUtf8(a), encodeUtf8(b));
}
