import { invalid, type ProtobufError } from './protobuf-error.ts';

/** The wire types of protobuf's encoding. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/**
 * Reads protobuf's primitives from front to back, never past `end`. A length that its surroundings cannot hold is
 * refused before anything is allocated for it.
 */
export class WireReader {
  position = 0;
  end: number;
  /** Of the tag that was read last. */
  field = 0;
  wireType = 0;
  private readonly buffer: Buffer;
  // The halves of the last varint: a double cannot hold 64 bits, and a bigint each would cost an allocation.
  private low = 0;
  private high = 0;

  constructor(bytes: Uint8Array) {
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  /** Moves to the next field; false at the end of the message. */
  nextTag(): boolean {
    if (this.position >= this.end) return false;
    this.varint();
    this.field = this.low >>> 3;
    this.wireType = this.low & 7;
    if (this.high !== 0 || this.field === 0) throw this.wrong('no such field number');
    return true;
  }

  expect(wireType: number): void {
    if (this.wireType !== wireType) throw this.wrong(`field ${this.field} has the wire type ${this.wireType}`);
  }

  int32(): number {
    this.varint();
    return this.low | 0;
  }

  int64(): number | bigint {
    this.varint();
    const value = (this.high | 0) * 0x1_0000_0000 + (this.low >>> 0);
    if (Number.isSafeInteger(value)) return value;
    return BigInt.asIntN(64, (BigInt(this.high >>> 0) << 32n) | BigInt(this.low >>> 0));
  }

  bool(): boolean {
    this.varint();
    return (this.low | this.high) !== 0;
  }

  double(): number {
    this.need(8);
    const value = this.buffer.readDoubleLE(this.position);
    this.position += 8;
    if (!Number.isFinite(value)) throw this.wrong('a number that JSON cannot carry');
    return value;
  }

  text(encoding: 'utf8' | 'base64'): string {
    const stop = this.length();
    // Go writes every empty text out: most of them are.
    if (stop === this.position) return '';
    const text = this.buffer.toString(encoding, this.position, stop);
    this.position = stop;
    return text;
  }

  /** Where the value of a length prefix ends. */
  length(): number {
    this.varint();
    if (this.high !== 0) throw this.wrong('cut off');
    this.need(this.low >>> 0);
    return this.position + (this.low >>> 0);
  }

  /** Passes over the value of the last tag: fields of newer versions are no mistake. */
  skip(): void {
    let openGroups = 0;
    do {
      if (openGroups > 0 && !this.nextTag()) throw this.wrong('cut off');
      switch (this.wireType) {
        case wire.varint:
          this.varint();
          break;
        case wire.fixed64:
          this.pass(8);
          break;
        case wire.bytes:
          this.position = this.length();
          break;
        case wire.startGroup:
          openGroups++;
          break;
        case wire.endGroup:
          if (openGroups-- === 0) throw this.wrong('a group that never began');
          break;
        case wire.fixed32:
          this.pass(4);
          break;
        default:
          throw this.wrong(`no such wire type: ${this.wireType}`);
      }
    } while (openGroups > 0);
  }

  wrong(what: string, cause?: unknown): ProtobufError {
    return invalid(`${what} at byte ${this.position}`, cause);
  }

  private varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw this.wrong('cut off');
      const byte = this.buffer[this.position++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    throw this.wrong('a number of more than ten bytes');
  }

  private need(count: number): void {
    if (count > this.end - this.position) throw this.wrong('cut off');
  }

  private pass(count: number): void {
    this.need(count);
    this.position += count;
  }
}
