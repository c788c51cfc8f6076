/**
 * Decodes the protobuf form of built-in kinds, in which kubectl and Go clients send them, into their JSON form. Not
 * here: writing protobuf (every client also accepts JSON), custom resources (which have no protobuf form), and
 * validation.
 *
 * Pure, and safe on hostile input: it returns an object or throws a ProtobufError, in time and memory proportional to
 * the body. The field tables in `generated` are written by scripts/generate-protobuf.ts.
 */
export { decodeProtobuf, protobufMediaType } from './decode.ts';
