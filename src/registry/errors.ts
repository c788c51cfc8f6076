import { AddressError, errorCode, errorMessage, isAbort, type Retry, SupercargoError } from '../base/index.ts';

export type RegistryErrorCode =
  | 'registry-address'
  | 'registry-bad-response'
  | 'registry-credentials'
  | 'registry-digest-mismatch'
  | 'registry-forbidden'
  | 'registry-not-found'
  | 'registry-platform-missing'
  | 'registry-refused'
  | 'registry-server-error'
  | 'registry-throttled'
  | 'registry-timeout'
  | 'registry-tls'
  | 'registry-too-slow'
  | 'registry-unauthorized'
  | 'registry-unreachable'
  | 'registry-unsupported'
  | 'registry-usage';

interface RegistryErrorOptions {
  readonly registry: string;
  readonly method?: string | undefined;
  /** Without query and user: both may contain a secret. */
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  /** The registry's error code, such as `MANIFEST_UNKNOWN`. */
  readonly registryCode?: string | undefined;
  readonly registryMessage?: string | undefined;
  readonly retry?: Retry;
  readonly cause?: unknown;
}

/** A failed call to a registry. It holds no header and no body, so it cannot leak a credential. */
export class RegistryError extends SupercargoError {
  declare readonly code: RegistryErrorCode;
  readonly registry: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly status: number | undefined;
  readonly registryCode: string | undefined;
  readonly registryMessage: string | undefined;

  constructor(code: RegistryErrorCode, message: string, options: RegistryErrorOptions) {
    super(code, message, { retry: options.retry ?? 'never', cause: options.cause });
    this.registry = options.registry;
    this.method = options.method;
    this.url = options.url;
    this.status = options.status;
    this.registryCode = options.registryCode;
    this.registryMessage = options.registryMessage;
  }

  /** True when the same call may succeed later without a change by the user. */
  get isTemporary(): boolean {
    return this.retry !== 'never';
  }
}

export function isRegistryError(thrown: unknown, code?: RegistryErrorCode): thrown is RegistryError {
  return thrown instanceof RegistryError && (code === undefined || thrown.code === code);
}

/** Describes a request in messages. */
export interface RequestLine {
  readonly registry: string;
  readonly method: string;
  readonly url: string;
}

/** The URL without the parts that may be secret. */
export function safeUrl(url: URL | string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

interface Refusal {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
  readonly registryCode?: string | undefined;
  readonly registryMessage?: string | undefined;
}

const codesByStatus: Readonly<Record<number, RegistryErrorCode>> = {
  401: 'registry-unauthorized',
  403: 'registry-forbidden',
  404: 'registry-not-found',
  405: 'registry-unsupported',
  408: 'registry-timeout',
  429: 'registry-throttled',
  504: 'registry-timeout',
};

const advice: Partial<Record<RegistryErrorCode, string>> = {
  'registry-unauthorized': 'check the user and password for this registry',
  'registry-forbidden': 'the credentials are valid but not permitted to do this; request the permission',
  'registry-throttled': 'the registry limits the request rate; try later or log in for a higher limit',
  'registry-unsupported': 'this registry does not support that',
};

/** The error for a refused request. The registry's message must already be redacted. */
export function errorFromRefusal(line: RequestLine, refusal: Refusal): RegistryError {
  const { status, retryAfterMs, registryCode, registryMessage } = refusal;
  const code = codesByStatus[status] ?? (status >= 500 ? 'registry-server-error' : 'registry-refused');
  const said = [registryCode, registryMessage].filter((text) => text !== undefined && text !== '').join(': ');
  const isTemporary = status === 429 || status === 408 || (status >= 500 && status !== 501 && status !== 505);
  const hint = advice[code];
  return new RegistryError(
    code,
    `${line.method} ${line.url}: ${said === '' ? 'refused' : said} (${status})${hint ? `; ${hint}` : ''}`,
    {
      ...line,
      status,
      registryCode,
      registryMessage,
      retry: !isTemporary ? 'never' : retryAfterMs === undefined ? 'backoff' : { afterMs: retryAfterMs },
    },
  );
}

export function badResponse(line: RequestLine, what: string, status?: number): RegistryError {
  return new RegistryError('registry-bad-response', `${line.method} ${line.url}: ${what}`, { ...line, status });
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|CERT_.*|ERR_TLS_CERT_ALTNAME_INVALID)$/;

/** The error for a request without a complete response. An abort stays an abort. */
export function errorFromNetwork(thrown: unknown, line: RequestLine): unknown {
  if (thrown instanceof AddressError)
    return new RegistryError('registry-address', `${line.method} ${line.url}: ${thrown.message}`, line);
  if (thrown instanceof SupercargoError || isAbort(thrown)) return thrown;
  const code = systemCode(thrown);
  const say = (why: string) => `${line.method} ${line.url}: ${why}`;
  if (untrusted.test(code))
    return new RegistryError(
      'registry-tls',
      say(`the certificate of ${line.registry} is not trusted (${code}); name its authority with a CA file`),
      { ...line, cause: thrown },
    );
  const why = errorMessage(thrown) || code || 'no connection';
  return new RegistryError(timeouts.has(code) ? 'registry-timeout' : 'registry-unreachable', say(why), {
    ...line,
    retry: code === 'ENOTFOUND' ? 'never' : 'backoff',
    cause: thrown,
  });
}

/** The code of an error or of its cause; undici wraps several connection attempts in one error. */
export function systemCode(thrown: unknown): string {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 5; depth++) {
    const code = errorCode(at);
    if (code !== undefined) return code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return '';
}
