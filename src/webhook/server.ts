import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { KeyPair } from '../base/index.ts';
import { type Clock, errorCode, type Logger, serverCiphers } from '../base/index.ts';
import { createBodyBudget } from './body-budget.ts';
import { type ClientAuthentication, createAuthenticate } from './client-certificate.ts';
import { type Connections, limitConnections } from './connections.ts';
import { handleReview, type ReviewLimits } from './handle-review.ts';
import type { WebhookMetrics } from './metrics.ts';
import { answerPlainHttp } from './plain-http.ts';
import type { Reviewer } from './reviewer.ts';
import { createRouter } from './route.ts';

export interface WebhookServerOptions extends Partial<ReviewLimits> {
  readonly host: string;
  readonly port: number;
  readonly reviewers: readonly Reviewer[];
  readonly metrics: WebhookMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** For the headers, counted from the end of the handshake for the first ones, and for a whole request. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxConnectionsPerPeer?: number;
  readonly handshakeTimeoutMs?: number;
  /** Of all bodies that are being read. */
  readonly maxReadingBytes?: number;
  readonly clientAuthentication?: ClientAuthentication | undefined;
}

export interface WebhookServer {
  /** Begins to serve with this certificate, or goes on with it: connections that are open stay open. */
  use(certificate: KeyPair): void;
  readonly isServing: boolean;
  readonly port: number | undefined;
  /** Serves once a certificate is there, until the signal aborts; what is under way is answered first. */
  run(signal: AbortSignal): Promise<void>;
}

const defaults = {
  // The API server sends object and old object, each of at most 3 MiB as it takes them, and the JSON around them.
  maxBodyBytes: 16 << 20,
  defaultTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  handshakeTimeoutMs: 10_000,
  maxConnections: 1024,
  // The API server opens one for each review that is under way; several API servers may share an address.
  maxConnectionsPerPeer: 768,
  maxReadingBytes: 64 << 20,
};
/** Longer than the API server keeps an idle connection (90 s), so that it is never us who hangs up first. */
const keepAliveMs = 120_000;
const drainMs = 5_000;

export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  const settings = { ...defaults, ...options };
  const { metrics, log } = settings;
  const { clientAuthentication } = settings;
  const handling = {
    ...settings,
    routeOf: createRouter(settings.reviewers, settings.defaultTimeoutMs),
    isAuthenticated: createAuthenticate(clientAuthentication),
    requiresAuthentication: clientAuthentication?.required ?? false,
    budget: createBodyBudget(settings.maxReadingBytes),
    onDelivered: (socket: Socket, authenticated: boolean) => connections?.delivered(socket, authenticated),
  };
  const contextOf = (certificate: KeyPair) => secureContextOf(certificate, clientAuthentication);
  let connections: Connections | undefined;
  let server: Server | undefined;
  let port: number | undefined;
  let isStopping = false;
  let begin: (certificate: KeyPair) => void = () => {};
  const first = new Promise<KeyPair>((resolve) => {
    begin = resolve;
  });

  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (isStopping) response.setHeader('connection', 'close');
    handleReview(request, response, handling);
  };
  const listen = (certificate: KeyPair) =>
    new Promise<Server>((resolve, reject) => {
      const made = createServer(
        {
          ...contextOf(certificate),
          // Asked for, not insisted on: who has none gets an answer that says so.
          ...(clientAuthentication ? { requestCert: true, rejectUnauthorized: false } : {}),
          keepAlive: true,
          noDelay: true,
          headersTimeout: settings.headersTimeoutMs,
          requestTimeout: settings.requestTimeoutMs,
          keepAliveTimeout: keepAliveMs,
          handshakeTimeout: settings.handshakeTimeoutMs,
          connectionsCheckingInterval: Math.min(1_000, settings.requestTimeoutMs),
          maxHeaderSize: 16 << 10,
        },
        onRequest,
      );
      connections = limitConnections(made, settings, (reason) => metrics.rejected(reason));
      answerPlainHttp(made, (reason) => {
        metrics.rejected(reason);
        log.debug('a connection was rejected', { reason });
      });
      made.on('clientError', (thrown, socket) => onClientError(thrown, socket as Socket, metrics, log));
      made.once('error', reject);
      made.listen(settings.port, settings.host, () => resolve(made));
    });

  return {
    use(certificate) {
      if (server) {
        server.setSecureContext(contextOf(certificate));
        metrics.rotated();
        log.info('the serving certificate was swapped');
      } else begin(certificate);
    },
    get isServing() {
      return server?.listening === true;
    },
    get port() {
      return port;
    },
    async run(signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const certificate = await Promise.race([first, aborted]);
      if (!certificate) return;
      const serving = await listen(certificate);
      server = serving;
      port = (serving.address() as AddressInfo).port;
      log.info('admission is served', { host: settings.host, port });
      await aborted;
      isStopping = true;
      await close(serving);
    },
  };
}

function secureContextOf({ certPem, keyPem }: KeyPair, clients: ClientAuthentication | undefined) {
  const context = { cert: certPem, key: keyPem, minVersion: 'TLSv1.2', ciphers: serverCiphers } as const;
  return clients ? { ...context, ca: clients.authorities } : context;
}

/** Answers what is under way; who is still not done after a while is cut off. */
async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function onClientError(thrown: Error, socket: Socket, metrics: WebhookMetrics, log: Logger): void {
  const code = errorCode(thrown) ?? 'unknown';
  const isLate = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // A client that hung up is no news.
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  metrics.rejected(isLate ? 'timeout' : 'not-http');
  log.warn('a request could not be read', { code });
  const status = isLate ? '408 Request Timeout' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
