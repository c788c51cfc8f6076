/** When the same call may be retried: never, with back-off, or after a time that the server named. */
export type Retry = 'never' | 'backoff' | { readonly afterMs: number };

interface ErrorOptionsWithRetry {
  readonly retry?: Retry;
  readonly cause?: unknown;
}

/**
 * The base class of every error in a folder's public API. `code` is stable and documented; `message` says in one line
 * what is wrong, where, and what to do.
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

/** A mistake in user input: reported as one line, never with a stack. */
export class UsageError extends SupercargoError {}

/** The message of any thrown value, with the messages of its causes. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : errorMessage(thrown.cause);
  return cause === '' || thrown.message.includes(cause) ? thrown.message : `${thrown.message}: ${cause}`;
}

/** The stable code of one of our errors, or of a Node system error. */
export function errorCode(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

export function retryOf(thrown: unknown): Retry {
  return thrown instanceof SupercargoError ? thrown.retry : 'backoff';
}

/** True when the error only says that the work was aborted. */
export function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && (thrown.name === 'AbortError' || errorCode(thrown) === 'ABORT_ERR');
}
