import type { Dispatcher } from 'undici';
import {
  type Clock,
  errorCode,
  type Json,
  type LinkedAbort,
  type Logger,
  linkAbort,
  orAborted,
  parseJson,
  parseRetryAfter,
} from '../base/index.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { type Connections, createConnectionPool } from './connections.ts';
import type { Credentials } from './credentials.ts';
import {
  badResponse,
  errorFromForeignResponse,
  errorFromNetwork,
  errorFromStatus,
  isKubeError,
  KubeError,
  type RequestLine,
  timeoutError,
} from './errors.ts';
import { createWarningLog } from './warnings.ts';

export interface TransportOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For a whole call with its response; for a watch only until its first byte. */
  readonly fetchTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  /** How often an idempotent call is retried after a 429 with Retry-After. */
  readonly maxThrottleRetries: number;
  /** A longer Retry-After is left to the caller. */
  readonly maxRetryAfterMs: number;
  readonly maxResponseBytes: number;
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Overrides the transport's limit. */
  readonly maxResponseBytes?: number | undefined;
}

export interface TransportResponse {
  readonly value: Json;
  readonly contentType: string;
  readonly serverTimeMs: number | undefined;
}

export interface StreamResponse {
  readonly body: Dispatcher.ResponseData['body'];
  /** Ends the connection; the body then fails. */
  abort(): void;
}

/** HTTP to one API server: credentials, connections, timeouts, errors. Knows nothing of resources. */
export interface Transport {
  call(request: TransportRequest): Promise<TransportResponse>;
  /** Resolves when the headers of a success have arrived. Call `abort` when done with the body. */
  stream(request: TransportRequest): Promise<StreamResponse>;
  close(): Promise<void>;
}

export function createTransport(config: ClusterConfig, options: TransportOptions): Transport {
  const prefix = new URL(config.server).pathname.replace(/\/$/, '');
  const pool = createConnectionPool(config, options);
  const warn = createWarningLog(options.log);
  const { clock } = options;

  const headersFor = (request: TransportRequest, credentials: Credentials): Record<string, string | string[]> => {
    const headers: Record<string, string | string[]> = {
      'user-agent': options.userAgent,
      accept: request.accept ?? 'application/json',
    };
    if (request.contentType !== undefined) headers['content-type'] = request.contentType;
    if (credentials.authorization !== undefined) headers['authorization'] = credentials.authorization;
    for (const [name, value] of Object.entries(config.headers ?? {})) {
      headers[name] = typeof value === 'string' ? value : [...value];
    }
    return headers;
  };

  /** One round trip up to the headers of the response. */
  const send = async (
    request: TransportRequest,
    { kind, credentials, signal }: { kind: keyof Connections; credentials: Credentials; signal: AbortSignal },
  ) => {
    const response = await pool.for(credentials)[kind].request({
      origin: config.server,
      path: `${prefix}${request.path}${request.query ?? ''}`,
      method: request.method,
      headers: headersFor(request, credentials),
      body: request.body ?? null,
      signal,
    });
    if (response.headers.warning !== undefined) warn(response.headers.warning);
    return response;
  };

  /** Runs `work` under the caller's signal and the timeout, and distinguishes which of them ended it. */
  const withDeadline = async <T>(
    { signal: outer }: TransportRequest,
    line: RequestLine,
    work: (link: LinkedAbort) => Promise<T>,
  ): Promise<{ readonly result: T; readonly link: LinkedAbort }> => {
    outer?.throwIfAborted();
    const link = linkAbort(outer);
    let isLate = false;
    const cancelTimer = clock.after(options.fetchTimeoutMs, () => {
      isLate = true;
      link.abort();
    });
    try {
      return { result: await work(link), link };
    } catch (thrown) {
      link.unlink();
      outer?.throwIfAborted();
      if (isLate) throw timeoutError(line, options.fetchTimeoutMs);
      throw errorFromNetwork(thrown, line);
    } finally {
      cancelTimer();
    }
  };

  /**
   * Gets credentials before the timeout starts: a plugin may wait for a person, which is not slowness of the server.
   */
  const authenticated = async <T>(
    signal: AbortSignal | undefined,
    work: (credentials: Credentials) => Promise<T>,
  ): Promise<T> => {
    const current = async () => {
      const found = config.credentials.current(signal);
      return found instanceof Promise && signal ? orAborted(found, signal) : found;
    };
    const credentials = await current();
    try {
      return await work(credentials);
    } catch (thrown) {
      const isRefused = isKubeError(thrown, 'kube-unauthorized');
      if (!isRefused || !config.credentials.rejected(credentials)) throw thrown;
      const others = await current();
      if (others === credentials) throw thrown;
      return await work(others);
    }
  };

  const callOnce = (request: TransportRequest): Promise<TransportResponse> =>
    authenticated(request.signal, async (credentials) => {
      const line: RequestLine = { method: request.method, path: request.path };
      const { result, link } = await withDeadline(request, line, async ({ signal }) => {
        const response = await send(request, { kind: 'calls', credentials, signal });
        const maxBytes = request.maxResponseBytes ?? options.maxResponseBytes;
        const text = await readText(response.body, maxBytes, line, response.statusCode);
        const head = readHead(response, clock);
        // Do not follow redirects: they would bypass every check of the path.
        if (response.statusCode >= 300) throw failure(line, text, head);
        const { contentType, serverTimeMs } = head;
        return { value: parseBody(text, line, head), contentType, serverTimeMs };
      });
      link.unlink();
      return result;
    });

  return {
    async call(request) {
      let throttled = 0;
      let hasReconnected = false;
      for (;;) {
        try {
          return await callOnce(request);
        } catch (thrown) {
          if (!(thrown instanceof KubeError)) throw thrown;
          const waitMs = throttleWaitMs(thrown, request);
          if (waitMs !== undefined && waitMs <= options.maxRetryAfterMs && throttled < options.maxThrottleRetries) {
            throttled++;
            await clock.sleep(waitMs, request.signal);
          } else if (request.method === 'GET' && !hasReconnected && isStaleConnection(thrown)) {
            // The server closed an idle connection just as it was reused.
            hasReconnected = true;
          } else throw thrown;
        }
      }
    },
    stream: (request) =>
      authenticated(request.signal, async (credentials) => {
        const line: RequestLine = { method: request.method, path: request.path };
        const { result: body, link } = await withDeadline(request, line, async ({ signal }) => {
          const response = await send(request, { kind: 'watches', credentials, signal });
          if (response.statusCode < 400) return response.body;
          const text = await readText(response.body, options.maxResponseBytes, line, response.statusCode);
          throw failure(line, text, readHead(response, clock));
        });
        const abort = () => {
          link.unlink();
          link.abort();
        };
        return { body, abort };
      }),
    close: () => pool.destroy(),
  };
}

interface ResponseHead {
  readonly httpStatus: number;
  readonly contentType: string;
  readonly retryAfterMs: number | undefined;
  readonly serverTimeMs: number | undefined;
}

function readHead({ statusCode, headers }: Dispatcher.ResponseData, clock: Clock): ResponseHead {
  const date = Date.parse(String(headers.date ?? ''));
  return {
    httpStatus: statusCode,
    contentType: String(headers['content-type'] ?? ''),
    retryAfterMs: parseRetryAfter(headers['retry-after'] as string | undefined, clock.now()),
    serverTimeMs: Number.isNaN(date) ? undefined : date,
  };
}

function failure(line: RequestLine, text: string, head: ResponseHead): KubeError {
  if (!head.contentType.includes('json')) return errorFromForeignResponse(line, head);
  try {
    return errorFromStatus(parseJson(text), line, head);
  } catch {
    return errorFromForeignResponse(line, head);
  }
}

function parseBody(text: string, line: RequestLine, head: ResponseHead): Json {
  if (!head.contentType.includes('json')) {
    const form = head.contentType.split(';')[0] || 'no content type';
    throw badResponse(line, `the response is ${form}, not JSON; is this an API server?`, head.httpStatus);
  }
  try {
    return parseJson(text);
  } catch {
    // Not kept as cause: the parser quotes the text, which may be a Secret.
    throw badResponse(line, `the response of ${text.length} characters is not valid JSON`, head.httpStatus);
  }
}

async function readText(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  line: RequestLine,
  status: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw badResponse(line, `the response is larger than ${maxBytes} bytes`, status);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only.toString('utf8') : Buffer.concat(chunks, size).toString('utf8');
}

/**
 * How long to wait before the same request may be sent again without the caller. Never a POST: a refused eviction is a
 * 429 with a meaning. A 503 may have been partly executed, so only a read is retried.
 */
function throttleWaitMs(error: KubeError, request: TransportRequest): number | undefined {
  if (typeof error.retry !== 'object' || request.method === 'POST') return undefined;
  return error.status === 429 || request.method === 'GET' ? error.retry.afterMs : undefined;
}

function isStaleConnection(error: KubeError): boolean {
  const code = errorCode(error.cause);
  return error.status === undefined && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE');
}
