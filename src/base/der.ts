/** The ASN.1 DER forms that X.509 certificates need. */

export type Der = Buffer;

function tagged(tag: number, content: Buffer): Der {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

export const der = {
  sequence: (...items: readonly Der[]): Der => tagged(0x30, Buffer.concat(items)),
  set: (...items: readonly Der[]): Der => tagged(0x31, Buffer.concat(items)),
  /** From big-endian bytes; a leading zero keeps a high first bit from meaning a negative number. */
  integer: (bytes: Buffer): Der => tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes),
  boolean: (value: boolean): Der => tagged(0x01, Buffer.of(value ? 0xff : 0)),
  bitString: (bytes: Buffer, unusedBits = 0): Der => tagged(0x03, Buffer.concat([Buffer.of(unusedBits), bytes])),
  octetString: (bytes: Buffer): Der => tagged(0x04, bytes),
  utf8: (text: string): Der => tagged(0x0c, Buffer.from(text)),
  oid: (dotted: string): Der => tagged(0x06, oidBytes(dotted)),
  /** A context tag around whole values. */
  explicit: (tag: number, content: Der): Der => tagged(0xa0 | tag, content),
  /** A context tag in place of a primitive value's own. */
  implicit: (tag: number, content: Buffer): Der => tagged(0x80 | tag, content),
  time: (ms: number): Der => {
    const text = new Date(ms).toISOString().replace(/[-:T]/g, '').slice(0, 14);
    // RFC 5280 4.1.2.5: two-digit years until 2049, four digits after.
    return text < '2050' ? tagged(0x17, Buffer.from(`${text.slice(2)}Z`)) : tagged(0x18, Buffer.from(`${text}Z`));
  },
};

function oidBytes(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const chunk = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) chunk.unshift((left & 0x7f) | 0x80);
    bytes.push(...chunk);
  }
  return Buffer.from(bytes);
}
