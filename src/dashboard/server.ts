import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, errorMessage, isJsonObject, type Logger, onAbort, parseJson } from '../base/index.ts';
import { type Authenticate, tenantOf, type Viewer } from './access.ts';
import type { Api } from './api.ts';
import { type Assets, assetFor } from './assets.ts';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import { HttpError, readBody, sendAsset, sendError, sendJson } from './http.ts';
import type { Session } from './protocol.ts';
import { InvalidQuery, Query } from './query.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createShares, type Shares } from './shares.ts';
import type { Streams } from './stream.ts';
import { followTls, readTls, type TlsFiles } from './tls.ts';

interface DashboardServerOptions {
  readonly host: string;
  readonly port: number;
  /** Host headers that are answered, without port; all if undefined. */
  readonly hosts: readonly string[] | undefined;
  /** Ranges of addresses of proxies that say in X-Forwarded-For whose request they pass on. */
  readonly trustedProxies: readonly string[];
  /** Plain HTTP without. */
  readonly tls: TlsFiles | undefined;
  readonly authenticate: Authenticate;
  readonly api: Api;
  readonly streams: Streams;
  readonly assets: Assets;
  readonly sessionOf: (viewer: Viewer) => Session;
  readonly onListening: (port: number) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxConnections = 512;
const maxRequestsAtOnce = { max: 128, maxOfOne: 64 };
/** Answers for one tenant, from however many addresses. */
const maxQueriesAtOnce = { max: 128, maxOfOne: 48 };
/** Bodies of log-ins that are being read; they are small and come at once. */
const maxBodiesAtOnce = { max: 32, maxOfOne: 8 };
const bodyDeadlineMs = 5_000;
/** A client that reads more slowly is dropped. */
const answerDeadlineMs = 30_000;
const maxConnectionsOfOne = 384;
const maxBodyBytes = 32 << 10;
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const keepAliveMs = 30_000;
const handshakeTimeoutMs = 10_000;

/** The page and its API over HTTP. Everything but `/api/session` is a GET that changes nothing. */
export function createDashboardServer(options: DashboardServerOptions): {
  run(signal: AbortSignal): Promise<void>;
} {
  const { tls: files, clock, log } = options;
  return {
    async run(signal) {
      const onRequest = createHandler(options, signal);
      const settings = { maxHeaderSize: 24 << 10, headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs };
      if (files === undefined) return listen(createServer(settings, onRequest), options, signal);
      const context = await readTls(files);
      const server = createTlsServer({ ...settings, ...context, handshakeTimeout: handshakeTimeoutMs }, onRequest);
      const ended = new AbortController();
      const use = server.setSecureContext.bind(server);
      const following = followTls({ files, use, clock, log }, context, AbortSignal.any([signal, ended.signal]));
      try {
        await listen(server, options, signal);
      } finally {
        ended.abort();
        await following;
      }
    },
  };
}

function createHandler(options: DashboardServerOptions, signal: AbortSignal) {
  const serving = {
    ...options,
    sessions: createSessions(),
    requests: createShares(maxRequestsAtOnce),
    queries: createShares(maxQueriesAtOnce),
    clients: createClientAddress(options.trustedProxies),
    bodies: createShares(maxBodiesAtOnce),
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    answer(serving, request, response, signal).catch((thrown: unknown) => {
      if (response.headersSent || response.destroyed) return response.destroy();
      if (!(thrown instanceof HttpError || thrown instanceof InvalidQuery))
        options.log.warn('a request of the dashboard failed', { path: pathOf(request), error: errorMessage(thrown) });
      return sendError(request, response, httpErrorOf(thrown)).catch(() => response.destroy());
    });
  };
}

function listen(
  server: Server | TlsServer,
  { host, port, onListening, trustedProxies }: DashboardServerOptions,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.maxConnections = maxConnections;
    server.keepAliveTimeout = keepAliveMs;
    const connections = createShares({ max: maxConnections, maxOfOne: maxConnectionsOfOne });
    const { isProxy } = createClientAddress(trustedProxies);
    server.on('connection', (socket: Socket) => {
      const { remoteAddress = '' } = socket;
      // A proxy has the connections of all clients.
      if (isProxy(remoteAddress)) return;
      const back = connections.take(remoteAddress);
      if (back) socket.once('close', back);
      else socket.destroy();
    });
    server.once('error', reject);
    server.listen(port, host, () => onListening((server.address() as AddressInfo).port));
    onAbort(signal, () => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  });
}

interface Serving extends DashboardServerOptions {
  readonly sessions: Sessions;
  readonly requests: Shares;
  readonly queries: Shares;
  readonly clients: ClientAddress;
  readonly bodies: Shares;
}

const tooMany = () => new HttpError('too-many', 'too many requests at once', { 'retry-after': '1' });

/** Takes a place for the answer until it is delivered, which must not take for ever. */
function takePlace({ requests, clients }: Serving, request: IncomingMessage, response: ServerResponse): void {
  const back = requests.take(clients.of(request));
  if (!back) throw tooMany();
  const deadline = setTimeout(() => response.destroy(), answerDeadlineMs);
  response.once('close', () => {
    clearTimeout(deadline);
    back();
  });
}

/** And one of the user, once it is known who that is. All who share a link are one user, with all places. */
function takePlaceOfUser({ queries }: Serving, { method, user }: Viewer, response: ServerResponse): void {
  if (method === 'link') return;
  const back = queries.take(tenantOf(user));
  if (!back) throw tooMany();
  response.once('close', back);
}

/** The body of a log-in. It takes a place of its own: slow bodies keep nobody from reading the page. */
async function readLogin({ bodies, clients }: Serving, request: IncomingMessage): Promise<string> {
  const back = bodies.take(clients.of(request));
  if (!back) throw tooMany();
  const deadline = setTimeout(() => request.destroy(), bodyDeadlineMs);
  try {
    return tokenIn(await readBody(request, maxBodyBytes));
  } finally {
    clearTimeout(deadline);
    back();
  }
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?', 1)[0]!.slice(0, 200);

async function answer(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  checkHost(request, serving.hosts);
  const { pathname, searchParams } = addressOf(request);
  if (!pathname.startsWith('/api/')) {
    checkMethod(request, 'GET', 'HEAD');
    const asset = assetFor(serving.assets, pathname);
    if (!asset) throw new HttpError('not-found', 'there is no such file');
    return sendAsset(request, response, asset);
  }
  if (pathname === '/api/session') return session(serving, request, response, signal);
  checkMethod(request, 'GET', 'HEAD');
  const token = serving.sessions.tokenOf(request);
  if (pathname !== '/api/events') takePlace(serving, request, response);
  const viewer = await viewerOf(serving, token, request, signal);
  if (pathname === '/api/events') {
    checkMethod(request, 'GET');
    const from = serving.clients.of(request);
    return serving.streams.open(request, response, viewer, {
      isSignedIn: () => serving.sessions.tokenOf(request) === token,
      look: async () => serving.authenticate(token!, signal, from),
    });
  }
  takePlaceOfUser(serving, viewer, response);
  const body = await serving.api(pathname, new Query(searchParams), viewer, signal);
  if (body === undefined) throw new HttpError('not-found', 'there is nothing of this name that you may see');
  await sendJson(request, response, { body });
}

async function viewerOf(
  serving: Serving,
  token: string | undefined,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<Viewer> {
  const from = serving.clients.of(request);
  const viewer = token === undefined ? undefined : await serving.authenticate(token, signal, from);
  if (!viewer) throw new HttpError('unauthenticated', 'log in with a token', { 'www-authenticate': 'Bearer' });
  return viewer;
}

async function session(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { sessions, sessionOf } = serving;
  checkMethod(request, 'GET', 'HEAD', 'POST', 'DELETE');
  if (request.method === 'POST' || request.method === 'DELETE') checkOrigin(request);
  if (request.method === 'DELETE')
    return sendJson(request, response, { body: {}, headers: { 'set-cookie': sessions.close(request) } });
  if (request.method !== 'POST') takePlace(serving, request, response);
  if (request.method !== 'POST')
    return sendJson(request, response, {
      body: sessionOf(await viewerOf(serving, sessions.tokenOf(request), request, signal)),
    });
  if (!(request.headers['content-type'] ?? '').startsWith('application/json'))
    throw new HttpError('invalid', 'the body must be application/json');
  const token = await readLogin(serving, request);
  takePlace(serving, request, response);
  const viewer = await viewerOf(serving, token, request, signal);
  const headers = { 'set-cookie': sessions.open(request, token, viewer.user) };
  return sendJson(request, response, { body: sessionOf(viewer), headers });
}

function tokenIn(body: string): string {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    // Told below.
  }
  const token = isJsonObject(value) ? value['token'] : undefined;
  if (typeof token !== 'string' || token === '') throw new HttpError('invalid', 'the body must be {"token": "…"}');
  return token.trim();
}

function addressOf({ url = '/' }: IncomingMessage): URL {
  try {
    return new URL(url, 'http://host');
  } catch {
    throw new HttpError('invalid', 'the address is not valid');
  }
}

function checkMethod({ method = '' }: IncomingMessage, ...allowed: readonly string[]): void {
  if (!allowed.includes(method))
    throw new HttpError('method', `only ${allowed.join(', ')}: the dashboard changes nothing`, {
      allow: allowed.join(', '),
    });
}

/** A page of another site whose name points to this address (DNS rebinding) has another Host. */
function checkHost({ headers }: IncomingMessage, hosts: readonly string[] | undefined): void {
  if (hosts === undefined) return;
  const name = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();
  if (!hosts.includes(name)) throw new HttpError('forbidden', 'this server does not answer for this host');
}

function checkOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  let from = '';
  try {
    from = new URL(origin).host;
  } catch {
    // `null`, of a page without origin.
  }
  if (from !== host) throw new HttpError('forbidden', 'requests of other pages are refused');
}

function httpErrorOf(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  if (thrown instanceof InvalidQuery) return new HttpError('invalid', thrown.message);
  return new HttpError('unavailable', 'the cluster does not answer', { 'retry-after': '5' });
}
