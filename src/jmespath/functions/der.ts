import { invalid } from '../errors.ts';

/** One value of ASN.1 DER: its tag, its content, and itself with both. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The values that follow one another in the bytes; refuses lengths that lead outside. */
export function readAll(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readAt(bytes, at);
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** The single value that the bytes hold. */
export function readOne(bytes: Buffer): DerValue {
  const [value, more] = readAll(bytes);
  if (value === undefined || more !== undefined) throw malformed();
  return value;
}

function readAt(bytes: Buffer, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw malformed();
  const extra = first < 0x80 ? 0 : first & 0x7f;
  if (first >= 0x80 && (extra === 0 || extra > 4 || at + 2 + extra > bytes.length)) throw malformed();
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra);
  const start = at + 2 + extra;
  if (start + length > bytes.length) throw malformed();
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

export function children(value: DerValue | undefined, tag: number = tags.sequence): DerValue[] {
  if (value?.tag !== tag) throw malformed();
  return readAll(value.content);
}

export function oidOf(value: DerValue | undefined): number[] {
  if (value?.tag !== tags.oid || value.content.length === 0) throw malformed();
  const parts: number[] = [];
  let part = 0;
  for (const byte of value.content) {
    part = part * 128 + (byte & 0x7f);
    if (part > Number.MAX_SAFE_INTEGER) throw malformed();
    if (byte >= 0x80) continue;
    if (parts.length === 0)
      parts.push(Math.min(Math.trunc(part / 40), 2), part - 40 * Math.min(Math.trunc(part / 40), 2));
    else parts.push(part);
    part = 0;
  }
  return parts;
}

export function integerOf(value: DerValue | undefined): bigint {
  if (value?.tag !== tags.integer || value.content.length === 0) throw malformed();
  const magnitude = BigInt(`0x${value.content.toString('hex')}`);
  return (value.content[0] as number) >= 0x80 ? magnitude - 2n ** BigInt(8 * value.content.length) : magnitude;
}

/** The bytes of a bit string without its count of unused bits. */
export function bitsOf(value: DerValue | undefined): Buffer {
  if (value?.tag !== tags.bitString || value.content.length === 0) throw malformed();
  return value.content.subarray(1);
}

export function isTrue(value: DerValue | undefined): boolean {
  return value?.tag === tags.boolean && value.content[0] !== 0;
}

/** Text of the string types that names are made of; undefined for any other type. */
export function textOf({ tag, content }: DerValue): string | undefined {
  if (tag === tags.utf8) return content.toString('utf8');
  // Numeric, printable, T.61 and IA5 strings: one byte a character.
  if (tag === 0x12 || tag === 0x13 || tag === 0x14 || tag === 0x16) return content.toString('latin1');
  if (tag !== 0x1e) return undefined;
  return Buffer.from(content.subarray(0, content.length & ~1))
    .swap16()
    .toString('utf16le');
}

export function malformed() {
  return invalid('the certificate is malformed');
}
