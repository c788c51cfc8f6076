import { errorMessage, type Json, type JsonObject, parseJson, setOwn } from '../../base/index.ts';
import { type FieldPlan, type MessagePlan, planOfKind, type Scalar } from './message-plan.ts';
import { invalid, ProtobufError, quoted } from './protobuf-error.ts';
import { WireReader, wire } from './wire-reader.ts';

/** Only schemas nest at all; the decoder is recursive. */
const maxDepth = 500;

/** The media type of the bodies that `decodeProtobuf` reads. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

type Target = Record<string, Json | undefined>;

const magic = [0x6b, 0x38, 0x73, 0x00];

const envelopePlan: MessagePlan = {
  fields: [undefined, single('typeMeta', typeMetaPlan()), undefined, single('encoding'), single('contentType')],
};
const rawField = 2;

/**
 * Decodes an object of a built-in kind from protobuf into its JSON form. Omits nulls and, for fields that JSON may
 * omit, zeroes and empty objects. Time and memory are proportional to the body, whose size the caller bounds.
 */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  const { apiVersion, kind, raw } = readEnvelope(body);
  const plan = planOfKind(apiVersion, kind);
  if (!plan) {
    throw new ProtobufError(
      'protobuf-unknown-kind',
      `no kind ${quoted(kind)} of version ${quoted(apiVersion)} in protobuf form`,
    );
  }
  const object: Target = { apiVersion, kind };
  readFields(new WireReader(raw), plan, object, 1);
  return object;
}

function readEnvelope(body: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  if (magic.some((byte, index) => body[index] !== byte)) throw invalid('it does not begin with "k8s" and a zero byte');
  const reader = new WireReader(body);
  reader.position = magic.length;
  const envelope: Target = {};
  let raw = body.subarray(body.length);
  while (reader.nextTag()) {
    if (reader.field === rawField) {
      reader.expect(wire.bytes);
      const stop = reader.length();
      raw = body.subarray(reader.position, stop);
      reader.position = stop;
    } else readField(reader, envelopePlan.fields[reader.field], envelope, 1);
  }
  const { typeMeta, encoding = '', contentType = '' } = envelope;
  if (encoding !== '') throw invalid(`the content encoding ${quoted(String(encoding))} is not supported`);
  if (contentType !== '' && contentType !== protobufMediaType) {
    throw invalid(`it holds ${quoted(String(contentType))} instead of protobuf`);
  }
  const { apiVersion = '', kind = '' } = (typeMeta ?? {}) as { apiVersion?: string; kind?: string };
  if (apiVersion === '' || kind === '') throw invalid('it does not say its apiVersion and kind');
  return { apiVersion, kind, raw };
}

function single(name: string, type: Scalar | MessagePlan = 'string'): FieldPlan {
  return { name, shape: 'single', type, omitsZero: false };
}

function typeMetaPlan(): MessagePlan {
  return { fields: [undefined, single('apiVersion'), single('kind')] };
}

function readFields(reader: WireReader, plan: MessagePlan, target: Target, depth: number): void {
  if (depth > maxDepth) throw reader.wrong(`nested more than ${maxDepth} levels deep`);
  while (reader.nextTag()) readField(reader, plan.fields[reader.field], target, depth);
}

function readField(reader: WireReader, field: FieldPlan | undefined, target: Target, depth: number): void {
  if (!field) {
    reader.skip();
    return;
  }
  const { name, type } = field;
  if (field.shape === 'list') readListItem(reader, type, (target[name] ??= []) as Json[], depth);
  else if (field.shape === 'map') readMapEntry(reader, type, (target[name] ??= {}) as Target, depth);
  else if (name === '') readMessage(reader, type as MessagePlan, target, depth);
  else {
    const value = readValue(reader, type, target[name], depth);
    if (value !== null && !(field.omitsZero && isZero(value))) target[name] = value;
    // The last of several occurrences counts, even when it is empty.
    else if (target[name] !== undefined) delete target[name];
  }
}

function readListItem(reader: WireReader, type: Scalar | MessagePlan, list: Json[], depth: number): void {
  if (reader.wireType !== wire.bytes || !isNumeric(type)) {
    list.push(readValue(reader, type, undefined, depth));
    return;
  }
  // Numbers may be packed: many after one length.
  const outerEnd = reader.end;
  reader.end = reader.length();
  while (reader.position < reader.end) list.push(readScalar(reader, type));
  reader.end = outerEnd;
}

function readMapEntry(reader: WireReader, type: Scalar | MessagePlan, map: Target, depth: number): void {
  reader.expect(wire.bytes);
  const outerEnd = reader.end;
  reader.end = reader.length();
  let key = '';
  let value: Json | undefined;
  while (reader.nextTag()) {
    if (reader.field === 1) key = String(readTagged(reader, 'string'));
    else if (reader.field === 2) value = readValue(reader, type, undefined, depth);
    else reader.skip();
  }
  // Assigned to a plain object, this key would change its prototype; the JSON parser refuses it as well.
  reader.end = outerEnd;
  setOwn(map, key, value === undefined ? zeroOf(type) : value);
}

/** `before` is the value of an earlier occurrence of the same field: messages are merged, anything else is replaced. */
function readValue(reader: WireReader, type: Scalar | MessagePlan, before: Json | undefined, depth: number): Json {
  if (typeof type === 'string') return readTagged(reader, type);
  if (!type.form) return readMessage(reader, type, (before as Target | undefined) ?? {}, depth);
  return type.form(readMessage(reader, type, {}, depth));
}

function readMessage(reader: WireReader, plan: MessagePlan, target: Target, depth: number): Target {
  reader.expect(wire.bytes);
  const outerEnd = reader.end;
  reader.end = reader.length();
  readFields(reader, plan, target, depth + 1);
  reader.end = outerEnd;
  return target;
}

function readTagged(reader: WireReader, type: Scalar): Json {
  reader.expect(type === 'double' ? wire.fixed64 : isNumeric(type) ? wire.varint : wire.bytes);
  return readScalar(reader, type);
}

function readScalar(reader: WireReader, type: Scalar): Json {
  switch (type) {
    case 'string':
      return reader.text('utf8');
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'int64':
      return reader.int64();
    case 'bytes':
      return reader.text('base64');
    case 'double':
      return reader.double();
    case 'json':
      return readJson(reader);
  }
}

function readJson(reader: WireReader): Json {
  const text = reader.text('utf8');
  if (text === '') return null;
  try {
    return parseJson(text);
  } catch (thrown) {
    throw reader.wrong(`a JSON text that cannot be read, ${quoted(errorMessage(thrown))},`, thrown);
  }
}

function isNumeric(type: Scalar | MessagePlan): type is Scalar {
  return type === 'int32' || type === 'int64' || type === 'bool' || type === 'double';
}

/** The value of a map entry without one. */
function zeroOf(type: Scalar | MessagePlan): Json {
  if (typeof type !== 'string') return type.form ? type.form({}) : {};
  return type === 'string' || type === 'bytes' ? '' : type === 'bool' ? false : type === 'json' ? null : 0;
}

function isZero(value: Json): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  for (const _ in value) return false;
  return true;
}
