import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, errorMessage, type KeyPair, type Logger, silentLogger, systemClock } from '../base/index.ts';
import type { Digest, Tag } from '../image/index.ts';
import { authenticate, type Users } from './http/auth.ts';
import { type HandlerLimits, send } from './http/context.ts';
import { OciError } from './http/errors.ts';
import { checkHost } from './http/host.ts';
import { route } from './http/router.ts';
import { collectGarbage, type GarbageOptions, type GarbageReport } from './store/garbage.ts';
import { Store } from './store/store.ts';

interface RegistryLimits extends HandlerLimits {
  readonly maxUploads: number;
  /** An upload that is idle for this long is removed. */
  readonly uploadIdleMs: number;
  readonly maxConnections: number;
  /** A connection that is idle for this long is closed. */
  readonly idleMs: number;
}

export interface RegistryServerOptions {
  /** Data directory. Default: a temporary directory that is removed with the server. */
  readonly folder?: string | undefined;
  readonly port?: number;
  /** Users that may push and pull. Default: everyone. */
  readonly users?: Users | undefined;
  /** Accepted values of the Host header, besides those of this machine. */
  readonly names?: readonly string[] | undefined;
  /** Serves TLS with this certificate. */
  readonly certificate?: KeyPair | undefined;
  readonly limits?: Partial<RegistryLimits>;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface RegistryServer {
  /** `127.0.0.1:port`: the registry part of an image reference. */
  readonly host: string;
  readonly url: string;
  readonly port: number;
  /** What the tag names now. */
  digestOf(repository: string, tag: Tag): Digest | undefined;
  collectGarbage(options?: GarbageOptions): Promise<GarbageReport>;
  stop(): Promise<void>;
}

const defaultLimits: RegistryLimits = {
  maxBlobBytes: 32 * 1024 ** 3,
  maxPage: 1000,
  maxUploads: 1000,
  uploadIdleMs: 60 * 60 * 1000,
  maxConnections: 1000,
  idleMs: 120_000,
};

/** Starts the registry on 127.0.0.1 only. */
export async function startRegistryServer(options: RegistryServerOptions = {}): Promise<RegistryServer> {
  const { clock = systemClock, log = silentLogger, certificate } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'supercargo-registry-')));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const store = await Store.open({
    folder,
    maxUploads: limits.maxUploads,
    uploadIdleMs: limits.uploadIdleMs,
    clock,
    log,
  });
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response, { store, limits, users: options.users, names: options.names, log });
  // Larger chunks than Node's default: a blob needs a quarter of the reads.
  const common = { keepAliveTimeout: 60_000, highWaterMark: 256 * 1024 };
  const server =
    certificate === undefined
      ? createHttpServer(common, listener)
      : createHttpsServer({ ...common, key: certificate.keyPem, cert: certificate.certPem }, listener);
  // No time limit for a large blob on a slow connection; the idle limit closes stalled ones.
  server.requestTimeout = 0;
  server.headersTimeout = 20_000;
  server.timeout = limits.idleMs;
  server.maxConnections = limits.maxConnections;
  const close = async () => {
    await store.close();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  try {
    await listen(server, options.port ?? 0);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const { port } = server.address() as AddressInfo;
  const host = `127.0.0.1:${port}`;
  return {
    host,
    port,
    url: `${certificate === undefined ? 'http' : 'https'}://${host}`,
    digestOf: (repository, tag) => store.catalog.get(repository)?.tags.get(tag),
    collectGarbage: (garbage) => collectGarbage(store, clock, garbage),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await close();
    },
  };
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });

interface Shared {
  readonly store: Store;
  readonly limits: RegistryLimits;
  readonly users: Users | undefined;
  readonly names: readonly string[] | undefined;
  readonly log: Logger;
}

async function handle(request: IncomingMessage, response: ServerResponse, shared: Shared): Promise<void> {
  const { store, limits, users, names, log } = shared;
  response.setHeader('docker-distribution-api-version', 'registry/2.0');
  try {
    checkHost(request, names);
    if (users !== undefined) authenticate(request.headers.authorization, users);
    const { path, query } = parseTarget(request.url ?? '/');
    await route({ request, response, query, store, limits }, path);
  } catch (thrown) {
    refuse(request, response, thrown, log);
  }
  drain(request, response);
}

function parseTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const mark = target.indexOf('?');
  try {
    const path = decodeURIComponent(mark === -1 ? target : target.slice(0, mark));
    return { path, query: new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)) };
  } catch {
    throw new OciError('NAME_INVALID', 'the address is not valid');
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, thrown: unknown, log: Logger): void {
  if (response.headersSent || response.destroyed || request.socket.destroyed) {
    // The connection is closed or a partial response was sent: an aborted connection is the only remaining signal.
    response.destroy();
    return;
  }
  const json = { 'content-type': 'application/json' };
  if (thrown instanceof OciError)
    return void send({ request, response }, thrown.status, { ...json, ...thrown.options.headers }, thrown.body());
  log.error('registry request failed', { method: request.method, error: errorMessage(thrown) });
  const body = JSON.stringify({ errors: [{ code: 'UNKNOWN', message: 'internal error' }] });
  send({ request, response }, 500, json, body);
}

const maxDrainBytes = 1024 * 1024;

/** Handles an unread body: a small rest is read to keep the connection, a larger one closes it. */
function drain(request: IncomingMessage, response: ServerResponse): void {
  if (request.readableEnded || request.destroyed) return;
  let size = 0;
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > maxDrainBytes)
      response.writableFinished ? request.destroy() : response.once('finish', () => request.destroy());
  });
  request.on('error', () => undefined);
  request.resume();
}
