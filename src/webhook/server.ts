import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, errorCode, type KeyPair, type Logger, serverCiphers, whenAborted } from '../base/index.ts';
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
  /** Time-outs for the headers, from the end of the handshake for the first request, and for a whole request. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxConnections?: number;
  readonly maxConnectionsPerPeer?: number;
  readonly handshakeTimeoutMs?: number;
  /** How long it goes on after the signal, with each answer the last of its connection. */
  readonly shutdownDelayMs?: number;
  /** Limit for the sum of all bodies that are being read. */
  readonly maxReadingBytes?: number;
  readonly clientAuthentication?: ClientAuthentication | undefined;
}

export interface WebhookServer {
  /** Starts to serve with this certificate, or switches to it: open connections stay open. */
  use(certificate: KeyPair): void;
  readonly isServing: boolean;
  readonly port: number | undefined;
  /** Serves from the first certificate until the signal aborts and the delay is over; then answers the reviews in flight. */
  run(signal: AbortSignal): Promise<void>;
}

const defaults = {
  // The API server sends object and old object, which it accepts up to 3 MiB each, with the JSON around them.
  maxBodyBytes: 16 << 20,
  defaultTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  handshakeTimeoutMs: 10_000,
  shutdownDelayMs: 0,
  maxConnections: 1024,
  // The API server opens a connection for each review in flight; several API servers may share an address.
  maxConnectionsPerPeer: 768,
  maxReadingBytes: 64 << 20,
};
/** Longer than the API server keeps an idle connection (90 s), so that the server never closes it first. */
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
          // Requested but not required by TLS, so that a client without a certificate gets an HTTP error.
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
        log.debug('connection rejected', { reason });
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
        log.info('serving certificate changed');
      } else begin(certificate);
    },
    get isServing() {
      return server?.listening === true;
    },
    get port() {
      return port;
    },
    async run(signal) {
      const aborted = whenAborted(signal);
      const certificate = await Promise.race([first, aborted]);
      if (!certificate) return;
      const serving = await listen(certificate);
      server = serving;
      port = (serving.address() as AddressInfo).port;
      log.info('webhook server listening', { host: settings.host, port });
      await aborted;
      isStopping = true;
      await settings.clock.sleep(settings.shutdownDelayMs);
      await close(serving);
    },
  };
}

function secureContextOf({ certPem, keyPem }: KeyPair, clients: ClientAuthentication | undefined) {
  const context = { cert: certPem, key: keyPem, minVersion: 'TLSv1.2', ciphers: serverCiphers } as const;
  return clients ? { ...context, ca: clients.authorities } : context;
}

/** Waits for requests in flight; closes the remaining connections after a time-out. */
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
  // Ignore a client that closed the connection.
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  metrics.rejected(isLate ? 'timeout' : 'not-http');
  log.warn('request could not be read', { code });
  const status = isLate ? '408 Request Timeout' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}
