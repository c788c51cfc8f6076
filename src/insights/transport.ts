import type { Dispatcher, Pool } from 'undici';
import { backoffMs, type Clock, errorMessage, linkAbort, parseRetryAfter, retryOf } from '../base/index.ts';
import { errorFromResponse, InsightsError } from './errors.ts';
import { createRedactor } from './secret.ts';
import type { InsightsSettings } from './settings.ts';

export interface TransportOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly userAgent: string;
  /** For one attempt with its complete response. */
  readonly attemptMs: number;
  /** For all attempts of a call and the pauses between them. */
  readonly totalMs: number;
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
}

interface InsightsRequest {
  /** For messages: `fetching policies`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below the organisation's cluster, with its query. */
  readonly path: string;
  readonly accept: string;
  readonly body?: string;
  /** How often it may be retried after a transient failure. */
  readonly retries: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface InsightsResponse {
  readonly contentType: string;
  readonly text: string;
}

/** HTTP to Insights: the token, time limits, retries, errors. Knows nothing of policies and jobs. */
export interface InsightsTransport {
  call(request: InsightsRequest): Promise<InsightsResponse>;
  close(): Promise<void>;
}

/** The longest server message in an error. */
const maxErrorTextChars = 200;

export function createTransport(settings: InsightsSettings, options: TransportOptions): InsightsTransport {
  const { clock } = options;
  const { organization, cluster, token } = settings;
  const base = new URL(settings.host);
  const prefix = `${base.pathname.replace(/\/+$/, '')}/v0/organizations/${encodeURIComponent(organization)}/clusters/${encodeURIComponent(cluster)}`;
  const redact = createRedactor(token);
  let pool: Promise<Pool> | undefined;
  // Time limits use the given clock, so undici's own are off.
  const open = async () => {
    const undici = await import('./pool.ts');
    return new undici.Pool(base.origin, {
      connections: 4,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: options.attemptMs },
    });
  };

  const exchange = async (request: InsightsRequest, signal: AbortSignal): Promise<InsightsResponse> => {
    const response = await (await (pool ??= open())).request({
      path: `${prefix}${request.path}`,
      method: request.method,
      headers: {
        authorization: `Bearer ${token.reveal()}`,
        accept: request.accept,
        'user-agent': options.userAgent,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: request.body ?? null,
      signal,
    });
    const { statusCode: status, headers } = response;
    if (status >= 300) {
      throw errorFromResponse({
        status,
        what: request.what,
        organization,
        cluster,
        retryAfterMs: parseRetryAfter(header(headers['retry-after']), clock.now()),
        errorText: redact(await readErrorText(response.body)),
        location: redact(header(headers['location']) ?? '').slice(0, maxErrorTextChars),
      });
    }
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
      throw badResponse(request.what, 'the response is compressed, which was not requested');
    const text = await readWhole(response, request);
    return { contentType: header(headers['content-type']) ?? '', text };
  };

  const attempt = async (request: InsightsRequest, limitMs: number): Promise<InsightsResponse> => {
    const { signal: outer, what } = request;
    outer.throwIfAborted();
    const controller = linkAbort(outer);
    let isLate = false;
    const cancelTimer = clock.after(limitMs, () => {
      isLate = true;
      controller.abort();
    });
    try {
      return await exchange(request, controller.signal);
    } catch (thrown) {
      outer.throwIfAborted();
      if (thrown instanceof InsightsError) throw thrown;
      if (isLate)
        throw new InsightsError('insights-timeout', `${what}: no complete response within ${limitMs / 1000} s`, {
          retry: 'backoff',
        });
      throw new InsightsError(
        'insights-unreachable',
        `${what}: cannot reach ${base.origin}: ${redact(errorMessage(thrown))}`,
        { retry: 'backoff' },
      );
    } finally {
      cancelTimer();
      controller.unlink();
    }
  };

  return {
    async call(request) {
      const endMs = clock.monotonicMs() + options.totalMs;
      for (let tries = 0; ; tries++) {
        try {
          return await attempt(request, Math.min(options.attemptMs, endMs - clock.monotonicMs()));
        } catch (thrown) {
          const decision = retryOf(thrown);
          if (!(thrown instanceof InsightsError) || decision === 'never') throw thrown;
          const pauseMs =
            decision === 'backoff'
              ? backoffMs(tries, { ...options.backoff, random: options.random })
              : decision.afterMs;
          if (tries >= request.retries || clock.monotonicMs() + pauseMs >= endMs) throw afterTries(thrown, tries);
          await clock.sleep(pauseMs, request.signal);
        }
      }
    },
    async close() {
      await (await pool)?.destroy();
    },
  };
}

function afterTries(error: InsightsError, retries: number): InsightsError {
  if (retries === 0) return error;
  const { code, message, status, retry } = error;
  return new InsightsError(code, `${message} (tried ${retries + 1} times)`, { status, retry });
}

export function badResponse(what: string, problem: string): InsightsError {
  return new InsightsError('insights-bad-answer', `${what}: ${problem}`);
}

const header = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

async function readWhole(response: Dispatcher.ResponseData, request: InsightsRequest): Promise<string> {
  const { headers, body } = response;
  const { what, maxBytes } = request;
  const tooLarge = () =>
    new InsightsError('insights-too-large', `${what}: the response is larger than ${maxBytes} bytes`, {
      status: response.statusCode,
    });
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy();
    throw tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  // Such a response ends with the connection, so a truncated one looks complete.
  const isFramed = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isFramed && response.statusCode !== 204)
    throw badResponse(what, 'the response does not say where it ends, so it may be cut off');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks, size));
  } catch {
    throw badResponse(what, 'the response is not UTF-8 text');
  }
}

/** The start of an error's body on one line. Empty for a web page, which is of no use. */
async function readErrorText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 4096) break;
    }
  } catch {
    // The status alone is enough.
  }
  const text = Buffer.concat(chunks).toString('utf8').replace(/\s+/g, ' ').trim();
  return text.startsWith('<') ? '' : text.slice(0, maxErrorTextChars);
}
