import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { gzip, gzipSync } from 'node:zlib';
import type { Asset } from './assets.ts';
import type { ErrorAnswer, ErrorCode } from './protocol.ts';

/** Answers with the headers that keep a page from doing what it should not. */

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const minCompressed = 1_024;
// Fast: the connection is near, or the proxy in front compresses again.
const compression = { level: 3 };
/**
 * In the thread of the page itself: those that Node has for such work belong to the whole process and do not have its low
 * priority. `supercargo up` has no thread for the page, and its event loop must not wait.
 */
const compress = isMainThread ? promisify(gzip) : gzipSync;

export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  { status = 200, body, headers = {} }: SentJson,
): Promise<void> {
  const text = Buffer.from(JSON.stringify(body));
  const isCompressed = text.length >= minCompressed && accepts(request, 'gzip');
  const data = isCompressed ? await compress(text, compression) : text;
  response.writeHead(status, {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-length': data.length,
    vary: 'accept-encoding',
    ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : data);
}

interface SentJson {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const statuses: Readonly<Record<ErrorCode, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  invalid: 400,
  method: 405,
  'too-large': 413,
  'too-many': 429,
  starting: 503,
  unavailable: 503,
  internal: 500,
};

/** Ends a request with an error of the protocol. */
export class HttpError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export function sendError(request: IncomingMessage, response: ServerResponse, error: HttpError): Promise<void> {
  const { code, message, headers } = error;
  const body: ErrorAnswer = { error: { code, message } };
  return sendJson(request, response, { status: statuses[code], body, headers });
}

export function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, body, brotli, etag, isImmutable } = asset;
  const headers = {
    ...securityHeaders,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'accept-encoding',
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const isBrotli = brotli !== undefined && accepts(request, 'br');
  const data = isBrotli ? brotli : body;
  response.writeHead(200, {
    ...headers,
    'content-type': type,
    'content-length': data.length,
    ...(isBrotli ? { 'content-encoding': 'br' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : data);
}

const accepts = ({ headers }: IncomingMessage, encoding: string) =>
  (headers['accept-encoding'] ?? '')
    .toString()
    .split(',')
    .some((one) => one.trim().split(';')[0] === encoding);

/** The body of a request as text. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) throw new HttpError('too-large', `a body has at most ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
