import type { LookupFunction } from 'node:net';
import type { ResponseBody } from './response.ts';

/** One request to a server, without redirects and logins. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** Resolves the host to allowed addresses. */
  readonly lookup?: LookupFunction | undefined;
}

/**
 * A request whose body may be a stream. Each piece is valid until the next one is requested; the headers contain the
 * length.
 */
export interface StreamedRequest extends Omit<HttpRequest, 'body'> {
  readonly body?: HttpRequest['body'] | AsyncIterable<Uint8Array>;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: ResponseBody;
}

/** Keep-alive connections. */
export interface HttpConnections<Request = HttpRequest> {
  send(request: Request): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface HttpLimits {
  readonly connectTimeoutMs: number;
  /** Idle timeout: before the response head, and between two pieces of the body. */
  readonly idleTimeoutMs: number;
}

export const keepAliveMs = 30_000;

export const isStream = (body: StreamedRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
