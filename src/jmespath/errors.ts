import { SupercargoError } from '../base/index.ts';

/** Where and on what an expression failed. */
interface JmespathErrorDetails {
  readonly expression: string;
  /** Index into `expression` (UTF-16 units) of the token to blame. */
  readonly offset: number;
  /** The key that was not there, when the code is `jmespath-unknown-key`. */
  readonly key?: string;
  readonly cause?: unknown;
}

/** Every way an expression can fail, in parsing and in evaluation. */
export const jmespathErrorCodes = [
  'jmespath-syntax',
  'jmespath-too-long',
  'jmespath-too-deep',
  'jmespath-unknown-function',
  'jmespath-arity',
  'jmespath-argument-type',
  'jmespath-invalid-value',
  'jmespath-unknown-key',
  'jmespath-unknown-variable',
  'jmespath-not-available',
  'jmespath-limit',
] as const;
export type JmespathErrorCode = (typeof jmespathErrorCodes)[number];

/** The only error that compiling or evaluating throws of its own accord. */
export class JmespathError extends SupercargoError {
  override readonly code: JmespathErrorCode;
  readonly expression: string;
  readonly offset: number;
  readonly key: string | undefined;

  constructor(code: JmespathErrorCode, message: string, details: JmespathErrorDetails) {
    super(code, message, { cause: details.cause });
    this.code = code;
    this.expression = details.expression;
    this.offset = details.offset;
    this.key = details.key;
  }

  /** Line and column of the offset, both from 1; a column counts characters, not bytes. */
  get position(): { readonly line: number; readonly column: number } {
    const before = this.expression.slice(0, this.offset);
    const lineStart = before.lastIndexOf('\n') + 1;
    return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 };
  }

  /** The line of the expression that is to blame, and a caret below the place. */
  caret(): string {
    const { line, column } = this.position;
    return `${this.expression.split('\n')[line - 1] ?? ''}\n${' '.repeat(column - 1)}^`;
  }
}

/** What a function throws: the call that failed adds its own name and place. */
export class CallFailure extends Error {
  constructor(
    readonly code: JmespathErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** A value that the function's types allow but its meaning does not. */
export function invalid(message: string, cause?: unknown): CallFailure {
  return new CallFailure('jmespath-invalid-value', message, cause);
}
