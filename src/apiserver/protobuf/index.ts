/**
 * Reads the protobuf form of built-in kinds, in which kubectl and Go's clients send them, into the objects that
 * their JSON form would give. Not here: writing protobuf (every client also accepts JSON), custom resources (which
 * have no protobuf form), and judging whether an object is a valid one.
 *
 * Pure, and safe on hostile input: it ends in an object or in a ProtobufError, in time and memory that are
 * proportional to the body. The field tables in `generated` are written by scripts/generate-protobuf.ts.
 */
export { decodeProtobuf, protobufMediaType } from './decode.ts';
export { ProtobufError } from './protobuf-error.ts';
