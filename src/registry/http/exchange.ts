import type { LookupFunction } from 'node:net';
import type { ResponseBody } from './response.ts';

/** One request to a server, without redirects and logins. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** Resolves the host to addresses that may be connected to. */
  readonly lookup?: LookupFunction | undefined;
}

/** One whose body may come in pieces, each valid until the next is asked for; its length is among the headers. */
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
  /** How long nothing may move: before the head of an answer, and between two pieces of it. */
  readonly idleTimeoutMs: number;
}

export const keepAliveMs = 30_000;

export const isStream = (body: StreamedRequest['body']): body is AsyncIterable<Uint8Array> =>
  body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
