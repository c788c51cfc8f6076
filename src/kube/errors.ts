import { errorCode, errorMessage, isJsonObject, type Retry, SupercargoError } from '../base/index.ts';

/** One of several causes of a refusal; `field` is a path such as `spec.replicas`. */
interface KubeErrorCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

interface KubeErrorDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

export type KubeErrorCode =
  | 'kube-already-exists'
  | 'kube-bad-request'
  | 'kube-bad-response'
  | 'kube-conflict'
  | 'kube-forbidden'
  | 'kube-gone'
  | 'kube-invalid'
  | 'kube-not-found'
  | 'kube-server-error'
  | 'kube-throttled'
  | 'kube-timeout'
  | 'kube-too-large'
  | 'kube-unauthorized'
  | 'kube-unavailable'
  | 'kube-unreachable'
  | 'kube-unsupported';

interface KubeErrorOptions {
  readonly method: string;
  readonly path: string;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly details?: KubeErrorDetails | undefined;
  readonly causes?: readonly KubeErrorCause[] | undefined;
  readonly retry?: Retry;
  readonly cause?: unknown;
}

/**
 * A failed call to an API server. Keeps the server's message; holds no header and no body, so that it never contains a
 * credential. `path` is without the query.
 */
export class KubeError extends SupercargoError {
  declare readonly code: KubeErrorCode;
  readonly method: string;
  readonly path: string;
  /** The HTTP status (or the code of a watch's ERROR event); absent when there was no response. */
  readonly status: number | undefined;
  /** Kubernetes' reason, such as `AlreadyExists`. */
  readonly reason: string | undefined;
  readonly details: KubeErrorDetails | undefined;
  readonly causes: readonly KubeErrorCause[];

  constructor(code: KubeErrorCode, message: string, options: KubeErrorOptions) {
    super(code, message, { retry: options.retry ?? 'never', cause: options.cause });
    this.method = options.method;
    this.path = options.path;
    this.status = options.status;
    this.reason = options.reason;
    this.details = options.details;
    this.causes = options.causes ?? [];
  }
}

/** True for a KubeError, with that code when one is given. */
export function isKubeError(thrown: unknown, code?: KubeErrorCode): thrown is KubeError {
  return thrown instanceof KubeError && (code === undefined || thrown.code === code);
}

export interface RequestLine {
  readonly method: string;
  readonly path: string;
}

const codesByReason: Readonly<Record<string, KubeErrorCode>> = {
  AlreadyExists: 'kube-already-exists',
  Conflict: 'kube-conflict',
  Expired: 'kube-gone',
  Gone: 'kube-gone',
};

const codesByStatus: Readonly<Record<number, KubeErrorCode>> = {
  400: 'kube-bad-request',
  401: 'kube-unauthorized',
  403: 'kube-forbidden',
  404: 'kube-not-found',
  405: 'kube-unsupported',
  406: 'kube-unsupported',
  408: 'kube-timeout',
  409: 'kube-conflict',
  410: 'kube-gone',
  413: 'kube-too-large',
  415: 'kube-unsupported',
  422: 'kube-invalid',
  429: 'kube-throttled',
  503: 'kube-unavailable',
  504: 'kube-timeout',
};

/** The error for a `Status` object, from a failed response or from a watch's ERROR event. */
export function errorFromStatus(
  status: unknown,
  request: RequestLine,
  response: { readonly httpStatus?: number; readonly retryAfterMs?: number | undefined } = {},
): KubeError {
  const body = isJsonObject(status) ? status : {};
  const details = isJsonObject(body['details']) ? body['details'] : undefined;
  const code = response.httpStatus ?? (typeof body['code'] === 'number' ? body['code'] : 500);
  const reason = text(body['reason']);
  const seconds = details?.['retryAfterSeconds'];
  const named = response.retryAfterMs ?? (typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined);
  const serverMessage = text(body['message']) ?? reason ?? 'no message';
  return new KubeError(
    codesByReason[reason ?? ''] ?? codesByStatus[code] ?? (code >= 500 ? 'kube-server-error' : 'kube-bad-request'),
    `${request.method} ${request.path}: ${serverMessage} (${code})`,
    {
      ...request,
      status: code,
      reason,
      retry: retryForStatus(code, named),
      ...(details ? { details, causes: causesOf(details['causes']) } : {}),
    },
  );
}

/** The error for a response that is not Kubernetes': a proxy's page, a truncated body, JSON of another form. */
export function badResponse(request: RequestLine, what: string, status?: number, cause?: unknown): KubeError {
  return new KubeError('kube-bad-response', `${request.method} ${request.path}: ${what}`, {
    ...request,
    status,
    cause,
    retry: 'backoff',
  });
}

/** The error for a failed response whose body is not a Status: mapped by its HTTP status alone. */
export function errorFromForeignResponse(
  request: RequestLine,
  response: { readonly httpStatus: number; readonly contentType: string; readonly retryAfterMs?: number | undefined },
): KubeError {
  const form = response.contentType === '' ? 'no content type' : response.contentType.split(';')[0];
  return errorFromStatus(
    { message: `the response is not from a Kubernetes API server (${form})`, code: response.httpStatus },
    request,
    response,
  );
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** The error for a call that got no response, or only part of one. */
export function errorFromNetwork(thrown: unknown, request: RequestLine): SupercargoError {
  if (thrown instanceof SupercargoError) return thrown;
  const isTimeout = timeouts.has(errorCode(thrown) ?? '');
  return new KubeError(
    isTimeout ? 'kube-timeout' : 'kube-unreachable',
    `${request.method} ${request.path}: ${errorMessage(thrown) || errorCode(thrown) || 'no connection'}`,
    { ...request, retry: 'backoff', cause: thrown },
  );
}

export function timeoutError(request: RequestLine, afterMs: number): KubeError {
  return new KubeError('kube-timeout', `${request.method} ${request.path}: no response within ${afterMs} ms`, {
    ...request,
    retry: 'backoff',
  });
}

function retryForStatus(status: number, afterMs: number | undefined): Retry {
  if (status !== 429 && status < 500) return 'never';
  const isNamed = afterMs !== undefined && (status === 429 || status === 503 || status === 504);
  return isNamed ? { afterMs } : 'backoff';
}

function causesOf(value: unknown): KubeErrorCause[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((cause) => ({
    reason: text(cause['reason']),
    message: text(cause['message']),
    field: text(cause['field']),
  }));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
