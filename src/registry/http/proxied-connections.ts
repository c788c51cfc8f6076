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

/** Connections through a proxy. A module of its own, to be loaded where there is one. */
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
    // One request at a time on a connection: a layer on its way must not hold up anything behind it.
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
        headers: answered,
        body: answer,
      } = await agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as 'GET',
        headers,
        ...(body === undefined
          ? {}
          : { body: isStream(body) ? Readable.from(copies(body), { objectMode: false }) : body }),
        ...(signal === undefined ? {} : { signal }),
        // A stream takes as long as it takes; whoever sends it watches for standstill.
        ...(isStream(body) ? { headersTimeout: 0 } : {}),
      });
      return { status: statusCode, headers: flatten(answered), body: answer as unknown as ResponseBody };
    },
    close: () => agent.destroy(),
  };
}

/** A client that asks for the next piece before it has sent the last must not find the memory used again. */
async function* copies(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
