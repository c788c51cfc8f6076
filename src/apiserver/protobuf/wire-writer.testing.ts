/** Just enough of a protobuf writer for tests to say what is on the wire. */

export type Part = readonly number[];

export function varint(value: number | bigint): Part {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

export function number(field: number, value: number | bigint): Part {
  return [...varint(field << 3), ...varint(value)];
}

/** A message, or the bytes of anything else that has a length. */
export function nested(field: number, ...parts: readonly Part[]): Part {
  const body = parts.flat();
  return [...varint((field << 3) | 2), ...varint(body.length), ...body];
}

export function text(field: number, value: string): Part {
  return nested(field, [...Buffer.from(value)]);
}

/** The whole body of a request: the magic bytes and the envelope around an object. */
export function body(apiVersion: string, kind: string, ...parts: readonly Part[]): Uint8Array {
  const envelope = [nested(1, text(1, apiVersion), text(2, kind)), nested(2, ...parts), text(3, ''), text(4, '')];
  return Uint8Array.from([...Buffer.from('k8s\0'), ...envelope.flat()]);
}
