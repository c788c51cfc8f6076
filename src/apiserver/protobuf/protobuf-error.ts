import { SupercargoError } from '../../base/index.ts';

/**
 * A body that cannot be read: `protobuf-invalid` when its bytes are wrong, `protobuf-unknown-kind` when they may
 * well be right but belong to a kind that has no table here.
 */
export class ProtobufError extends SupercargoError {}

/** The bytes themselves are wrong. */
export function invalid(what: string, cause?: unknown): ProtobufError {
  return new ProtobufError('protobuf-invalid', `the protobuf body is invalid: ${what}`, { cause });
}

const longestQuote = 100;

/** Text of the sender in quotes: short, and in one line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text);
}
