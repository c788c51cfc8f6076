import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { SecureContext } from 'node:tls';
import { type HttpConnections, type HttpLimits, type HttpRequest, type HttpResponse, keepAliveMs } from './exchange.ts';
import { flatten, type ResponseBody } from './response.ts';

interface DirectOptions extends HttpLimits {
  readonly secureContext: () => SecureContext | undefined;
  readonly rejectUnauthorized: boolean;
}

/** Node's own client: loading any other takes longer than copying a small image. */
export function createDirectConnections(options: DirectOptions): HttpConnections {
  const common = { keepAlive: true, timeout: keepAliveMs };
  const plain = new PlainAgent(common);
  let secure: SecureAgent | undefined;
  const openSecure = () => {
    const { rejectUnauthorized } = options;
    const secureContext = options.secureContext();
    return new SecureAgent({
      ...common,
      rejectUnauthorized,
      ...(secureContext === undefined ? {} : { secureContext }),
    });
  };
  return {
    async send(sent) {
      const { method, url, headers, signal, lookup } = sent;
      const given = {
        method,
        headers,
        timeout: options.idleTimeoutMs,
        ...(signal === undefined ? {} : { signal }),
        ...(lookup === undefined ? {} : { lookup }),
      };
      const request =
        url.protocol === 'https:'
          ? requestSecure(url, { ...given, agent: (secure ??= openSecure()) })
          : requestPlain(url, { ...given, agent: plain });
      return exchange(request, sent, options);
    },
    async close() {
      plain.destroy();
      secure?.destroy();
    },
  };
}

function exchange(
  request: ClientRequest,
  { url, body, signal }: HttpRequest,
  limits: HttpLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    request.once('response', (message) => {
      response = message;
      resolve({ status: message.statusCode ?? 0, headers: flatten(message.headers), body: bodyOf(message, signal) });
    });
    // The listener stays: errors after the head are also reported by the body.
    request.on('error', reject);
    request.once('timeout', () => (response ?? request).destroy(timeout('no data')));
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(timeout('no connection')), limits.connectTimeoutMs);
      const stop = () => clearTimeout(timer);
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', stop);
      socket.once('close', stop);
    });
    request.end(body);
  });
}

/** Larger responses are not read to the end just to keep the connection. */
const maxDumpedBytes = 64 * 1024;
const maxDumpMs = 2_000;

function bodyOf(message: IncomingMessage, signal: AbortSignal | undefined): ResponseBody {
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* message as AsyncIterable<Buffer>;
      } catch (thrown) {
        throw signal?.aborted ? signal.reason : thrown;
      }
    },
    async dump() {
      let size = 0;
      message.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size > maxDumpedBytes) message.destroy();
      });
      // Ignore errors: the rest of the response is discarded.
      message.on('error', () => undefined);
      // Do not wait for a slow server when the data is discarded.
      const timer = setTimeout(() => message.destroy(), maxDumpMs);
      if (!message.closed) await new Promise((done) => message.once('close', done));
      clearTimeout(timer);
    },
  };
}

const timeout = (what: string) => Object.assign(new Error(`${what} in time`), { code: 'ETIMEDOUT' });
