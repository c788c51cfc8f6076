import { Readable } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { ProxyAgent } from 'undici';
import { type HttpConnections, type HttpLimits, isStream, keepAliveMs, type StreamedRequest } from './exchange.ts';
import { flatten, type ResponseBody } from './response.ts';

export interface ProxiedOptions extends HttpLimits {
  readonly proxy: string;
  readonly secureContext: () => SecureContext | undefined;
  readonly rejectUnauthorized: boolean;
}

/** Connections through a proxy. A separate module, so that it is loaded only when there is one. */
export function createProxiedConnections(options: ProxiedOptions): HttpConnections<StreamedRequest> {
  const { proxy, rejectUnauthorized, connectTimeoutMs, idleTimeoutMs } = options;
  const secureContext = options.secureContext();
  const { username, password } = new URL(proxy);
  const token = username === '' ? undefined : `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const agent = new ProxyAgent({
    uri: proxy,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    // One request at a time on a connection: a layer must not block requests behind it.
    pipelining: 1,
    requestTls: {
      ...(secureContext === undefined ? {} : { secureContext }),
      rejectUnauthorized,
      timeout: connectTimeoutMs,
    },
    ...(token === undefined ? {} : { token: `Basic ${Buffer.from(token).toString('base64')}` }),
  });
  return {
    async send({ method, url, headers, body, signal }) {
      const {
        statusCode,
        headers: responseHeaders,
        body: responseBody,
      } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as 'GET',
        headers,
        ...(body === undefined
          ? {}
          : { body: isStream(body) ? Readable.from(copies(body), { objectMode: false }) : body }),
        ...(signal === undefined ? {} : { signal }),
        // No timeout for a stream: its sender monitors it for stalls.
        ...(isStream(body) ? { headersTimeout: 0 } : {}),
      });
      return { status: statusCode, headers: flatten(responseHeaders), body: responseBody as unknown as ResponseBody };
    },
    close: () => agent.destroy(),
  };
}

/**
 * Copies the pieces: a client that requests the next piece before it has sent the last one must not see a reused
 * buffer.
 */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
