import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProtobufError } from './protobuf-error.ts';
import { WireReader } from './wire-reader.ts';
import { type Part, varint } from './wire-writer.testing.ts';

const readerOf = (...parts: readonly Part[]) => new WireReader(Uint8Array.from(parts.flat()));

test('every int64 is read exactly: as a number where a double can hold it, else as a bigint', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const read = readerOf(varint(value)).int64();
      expect(BigInt(read)).toBe(value);
      expect(typeof read).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint');
    }),
  );
  expect(readerOf(varint(-1)).int64()).toBe(-1);
  expect(readerOf(varint(2n ** 53n)).int64()).toBe(2n ** 53n);
});

test('every int32 is read exactly, the negative ones from their ten bytes', () => {
  fc.assert(fc.property(fc.integer(), (value) => readerOf(varint(value)).int32() === value));
});

test('a number of eleven bytes is refused', () => {
  expect(() => readerOf(Array(10).fill(0xff), [1]).int64()).toThrow('more than ten bytes');
});

test('a length that reaches beyond its surroundings is refused, however large', () => {
  for (const length of [3, 2 ** 31, 2 ** 32 - 1, 2n ** 32n, 2n ** 63n, -1]) {
    expect(() => readerOf(varint(length), [1, 2]).text('utf8')).toThrow(ProtobufError);
  }
  const inner = readerOf(varint(2), [0x61, 0x62]);
  inner.end = 2;
  expect(() => inner.text('utf8')).toThrow('cut off at byte 1');
});

test('a value of any wire type can be passed over, groups within groups too', () => {
  const group: Part = [0x0b, 0x08, 0x96, 0x01, 0x13, 0x0d, 1, 2, 3, 4, 0x14, 0x0a, 1, 9, 0x0c];
  const values: readonly Part[] = [
    group,
    [0x08, 0xff, 0x01],
    [0x09, 1, 2, 3, 4, 5, 6, 7, 8],
    [0x0a, 2, 7, 7],
    [0x0d, 1, 2, 3, 4],
  ];
  const reader = readerOf(...values, [0x78, 5]);
  for (const _ of values) {
    expect(reader.nextTag()).toBe(true);
    reader.skip();
  }
  expect(reader.nextTag()).toBe(true);
  expect([reader.field, reader.int32(), reader.nextTag()]).toEqual([15, 5, false]);
});

test.each([
  ['a group that never ends', [0x0b, 0x08, 0x01]],
  ['a group that never began', [0x0c]],
  ['a wire type that does not exist', [0x0e]],
  ['a field of the number zero', [0x00]],
  ['a value that is cut off', [0x0d, 1, 2]],
])('%s is refused', (_, bytes) => {
  const reader = readerOf(bytes);
  expect(() => reader.nextTag() && reader.skip()).toThrow(ProtobufError);
});
