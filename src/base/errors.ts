/** When the same call may be tried again: never, with growing pauses, or after a time the other side named. */
export type Retry = 'never' | 'backoff' | { readonly afterMs: number };

export interface ErrorOptionsWithRetry {
  readonly retry?: Retry;
  readonly cause?: unknown;
}

/**
 * The base of every error that crosses a folder's door. `code` is stable and documented;
 * `message` says in one line what is wrong, where, and what to do.
 */
export class SupercargoError extends Error {
  readonly code: string;
  readonly retry: Retry;

  constructor(code: string, message: string, options: ErrorOptionsWithRetry = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retry = options.retry ?? 'never';
  }
}

/** A mistake in what a person wrote: reported as one line, never with a stack. */
export class UsageError extends SupercargoError {}

/** The message of anything that can be thrown, with the messages of its causes. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : errorMessage(thrown.cause);
  return cause === '' || thrown.message.includes(cause) ? thrown.message : `${thrown.message}: ${cause}`;
}

/** The stable code of one of our errors, or of one of Node's system errors. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

export function retryOf(thrown: unknown): Retry {
  return thrown instanceof SupercargoError ? thrown.retry : 'backoff';
}

/** True when the error only says that the work was called off. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'AbortError' || errorCode(thrown) === 'ABORT_ERR');
}
