import type { Dispatcher } from 'undici';
import { type Clock, errorCode, type Json, type Logger, parseJson } from '../base/index.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { type Connections, createConnectionPool } from './connections.ts';
import type { Credentials } from './credentials.ts';
import {
  badResponse,
  errorFromForeignAnswer,
  errorFromNetwork,
  errorFromStatus,
  isKubeError,
  KubeError,
  parseRetryAfter,
  type RequestLine,
  timeoutError,
} from './errors.ts';
import { createWarningLog } from './warnings.ts';

export interface TransportOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For a whole call with its answer; a watch only until its first byte. */
  readonly fetchTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly maxConnections: number;
  /** How often an idempotent call is sent again after a 429 that named a time. */
  readonly maxThrottleRetries: number;
  /** A named time beyond this is the caller's to wait. */
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
  /** Instead of the transport's own limit. */
  readonly maxResponseBytes?: number | undefined;
}

export interface Answer {
  readonly value: Json;
  readonly contentType: string;
  readonly serverTimeMs: number | undefined;
}

export interface StreamAnswer {
  readonly body: Dispatcher.ResponseData['body'];
  /** Ends the connection; the body then fails. */
  abort(): void;
}

/** HTTP to one API server: credentials, connections, timeouts, errors. Knows nothing of resources. */
export interface Transport {
  call(request: TransportRequest): Promise<Answer>;
  /** Resolves when the headers of a success are there. `abort` must be called when the body is done with. */
  stream(request: TransportRequest): Promise<StreamAnswer>;
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

  /** One round trip up to the headers of the answer. */
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

  /** Runs `work` under the caller's signal and the timeout, and tells apart who ended it. */
  const withDeadline = async <T>(link: AbortLink, line: RequestLine, work: () => Promise<T>): Promise<T> => {
    let isLate = false;
    const cancelTimer = clock.after(options.fetchTimeoutMs, () => {
      isLate = true;
      link.controller.abort();
    });
    try {
      return await work();
    } catch (thrown) {
      link.unlink();
      link.outer?.throwIfAborted();
      if (isLate) throw timeoutError(line, options.fetchTimeoutMs);
      throw errorFromNetwork(thrown, line);
    } finally {
      cancelTimer();
    }
  };

  /** Asks for credentials first: a plugin may wait for a person, and that is no slowness of the server. */
  const authenticated = async <T>(
    signal: AbortSignal | undefined,
    work: (credentials: Credentials) => Promise<T>,
  ): Promise<T> => {
    const current = () => unlessAborted(config.credentials.current(signal), signal);
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

  const callOnce = (request: TransportRequest): Promise<Answer> =>
    authenticated(request.signal, async (credentials) => {
      const line: RequestLine = { method: request.method, path: request.path };
      const link = linkAbort(request.signal);
      const result = await withDeadline(link, line, async () => {
        const response = await send(request, { kind: 'calls', credentials, signal: link.controller.signal });
        const maxBytes = request.maxResponseBytes ?? options.maxResponseBytes;
        const text = await readText(response.body, maxBytes, line, response.statusCode);
        const answer = describe(response, clock);
        // A redirect is not followed: it would lead past every check of the path.
        if (response.statusCode >= 300) throw failure(line, text, answer);
        const { contentType, serverTimeMs } = answer;
        return { value: parseBody(text, line, answer), contentType, serverTimeMs };
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
            // The server closed an idle connection just as it was used again.
            hasReconnected = true;
          } else throw thrown;
        }
      }
    },
    stream: (request) =>
      authenticated(request.signal, async (credentials) => {
        const line: RequestLine = { method: request.method, path: request.path };
        const link = linkAbort(request.signal);
        const body = await withDeadline(link, line, async () => {
          const response = await send(request, { kind: 'watches', credentials, signal: link.controller.signal });
          if (response.statusCode < 400) return response.body;
          const text = await readText(response.body, options.maxResponseBytes, line, response.statusCode);
          throw failure(line, text, describe(response, clock));
        });
        const abort = () => {
          link.unlink();
          link.controller.abort();
        };
        return { body, abort };
      }),
    close: () => pool.destroy(),
  };
}

/** A controller that follows the caller's signal until it is let go; signals outlive thousands of requests. */
interface AbortLink {
  readonly controller: AbortController;
  readonly outer: AbortSignal | undefined;
  unlink(): void;
}

function linkAbort(outer: AbortSignal | undefined): AbortLink {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', onAbort, { once: true });
  return { controller, outer, unlink: () => outer?.removeEventListener('abort', onAbort) };
}

async function unlessAborted<T>(work: Promise<T> | T, signal: AbortSignal | undefined): Promise<T> {
  if (!(work instanceof Promise) || signal === undefined) return work;
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

interface Description {
  readonly httpStatus: number;
  readonly contentType: string;
  readonly retryAfterMs: number | undefined;
  readonly serverTimeMs: number | undefined;
}

function describe({ statusCode, headers }: Dispatcher.ResponseData, clock: Clock): Description {
  const date = Date.parse(String(headers.date ?? ''));
  return {
    httpStatus: statusCode,
    contentType: String(headers['content-type'] ?? ''),
    retryAfterMs: parseRetryAfter(headers['retry-after'] as string | undefined, clock.now()),
    serverTimeMs: Number.isNaN(date) ? undefined : date,
  };
}

function failure(line: RequestLine, text: string, answer: Description): KubeError {
  if (!answer.contentType.includes('json')) return errorFromForeignAnswer(line, answer);
  try {
    return errorFromStatus(parseJson(text), line, answer);
  } catch {
    return errorFromForeignAnswer(line, answer);
  }
}

function parseBody(text: string, line: RequestLine, answer: Description): Json {
  if (!answer.contentType.includes('json')) {
    const form = answer.contentType.split(';')[0] || 'no content type';
    throw badResponse(line, `the answer is ${form}, not JSON; is this an API server?`, answer.httpStatus);
  }
  try {
    return parseJson(text);
  } catch {
    // Not kept as cause: the parser quotes the text, and the text may be a Secret.
    throw badResponse(line, `the answer of ${text.length} characters is not valid JSON`, answer.httpStatus);
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
    if (size > maxBytes) throw badResponse(line, `the answer is larger than ${maxBytes} bytes`, status);
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only.toString('utf8') : Buffer.concat(chunks, size).toString('utf8');
}

/**
 * How long to wait before the same request may be sent again without asking the caller. A POST is not: a refused
 * eviction is a 429 with a meaning. A 503 may have been half executed, so only a read is repeated.
 */
function throttleWaitMs(error: KubeError, request: TransportRequest): number | undefined {
  if (typeof error.retry !== 'object' || request.method === 'POST') return undefined;
  return error.status === 429 || request.method === 'GET' ? error.retry.afterMs : undefined;
}

function isStaleConnection(error: KubeError): boolean {
  const code = errorCode(error.cause);
  return error.status === undefined && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE');
}
