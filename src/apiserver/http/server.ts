import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isLoopbackOrigin, type KeyPair, type Logger, serverCiphers } from '../../base/index.ts';
import type { UserInfo } from '../operations/context.ts';
import { statusError } from '../status.ts';
import { announceWarnings, sendError } from './respond.ts';
import type { Router } from './router.ts';

interface HttpServerOptions {
  readonly certificate: KeyPair;
  readonly host: string;
  readonly port: number;
  /** The user of a token. */
  readonly authenticate: (token: string) => UserInfo | undefined;
  readonly router: Router;
  readonly log: Logger;
}

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { certificate, host, port, log } = options;
  const handler: HandlerOptions = { ...options, checkHost: createHostCheck(host) };
  const server = createServer(
    {
      key: certificate.keyPem,
      cert: certificate.certPem,
      minVersion: 'TLSv1.2',
      ciphers: serverCiphers,
      keepAliveTimeout: 60_000,
    },
    (request, response) => {
      handle(request, response, handler).catch((thrown) => sendError(response, thrown, log));
    },
  );
  server.requestTimeout = 60_000;
  server.headersTimeout = 20_000;
  // Ignore clients that disconnect during TLS or HTTP parsing.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', refuse);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, stop: () => stop(server) };
}

/** Responds to invalid HTTP while the connection is still writable. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

interface HandlerOptions extends HttpServerOptions {
  /** Throws for a request that was not meant for this machine. */
  readonly checkHost: (request: IncomingMessage) => void;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { checkHost, authenticate: find, router, log }: HandlerOptions,
): Promise<void> {
  // In any case, an unread body must not block the reuse of the connection.
  response.on('finish', () => request.resume());
  try {
    checkHost(request);
    const user = authenticate(request, find);
    if (!user) throw statusError(401, 'Unauthorized');
    const warnings: string[] = [];
    announceWarnings(response, warnings);
    await router.route(request, response, user, warnings);
  } catch (thrown) {
    sendError(response, thrown, log);
  }
}

/** A web page whose name resolves to this machine (DNS rebinding) sends its own name as Host or Origin. */
function createHostCheck(host: string): (request: IncomingMessage) => void {
  // When it listens on another address, its host names are not known here.
  const isLocal = isLoopbackOrigin(`https://${host}`);
  // Nearly all requests of a client name the same host, and parsing it takes longer than the rest of routing.
  let accepted: string | undefined;
  return ({ headers }) => {
    const given = headers.host ?? '';
    if (isLocal && given !== accepted) {
      if (!isLoopbackOrigin(`https://${given}`) && !/^kubernetes\.default\.svc(?::\d+)?$/.test(given))
        throw statusError(403, 'the Host header does not name this machine; use 127.0.0.1 or localhost');
      accepted = given;
    }
    if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin))
      throw statusError(403, 'requests of web pages of other origins are refused');
  };
}

const anonymous: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Undefined for an unknown token; without a token the client is anonymous. */
function authenticate(request: IncomingMessage, find: HttpServerOptions['authenticate']): UserInfo | undefined {
  const header = request.headers.authorization;
  if (header === undefined) return anonymous;
  if (!header.startsWith('Bearer ')) return undefined;
  const user = find(header.slice('Bearer '.length));
  return user && impersonated(request, user);
}

/** `kubectl --as`: an administrator may impersonate another user, to test policies. */
function impersonated(request: IncomingMessage, user: UserInfo): UserInfo {
  const name = request.headers['impersonate-user'];
  if (typeof name !== 'string' || !user.groups.includes('system:masters')) return user;
  const groups = request.headers['impersonate-group'];
  const list =
    groups === undefined ? [] : Array.isArray(groups) ? groups : groups.split(',').map((group) => group.trim());
  return { username: name, groups: [...list, 'system:authenticated'] };
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Watches never end by themselves.
  server.closeAllConnections();
  await closed;
}
