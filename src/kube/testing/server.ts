import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterConfig } from '../cluster-config.ts';
import { anonymous } from '../credentials.ts';
import type { ResourceType } from '../types.ts';

export const pods: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
export const deployments: ResourceType = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};
export const nodes: ResourceType = { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: SeenRequest[];
  readonly config: ClusterConfig;
}

export type Respond = (request: SeenRequest, response: ServerResponse) => void;

/** An HTTP server on a free loopback port; `respond` gets each request with its body read. */
export async function startServer(respond: Respond, tls?: ServerOptions): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const listener: RequestListener = async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? '/', 'http://server');
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    requests.push(request);
    respond(request, response);
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    url,
    port,
    requests,
    config: { name: 'test', server: url, tls: {}, namespace: 'default', credentials: anonymous },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export function sendStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  extra: { readonly message?: string; readonly details?: unknown; readonly headers?: Record<string, string> } = {},
): void {
  const { message = reason, details, headers } = extra;
  sendJson(
    response,
    { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details },
    code,
    headers,
  );
}

/** Resolves when the condition holds; fails with `what` when it does not in time. */
export async function until(condition: () => boolean, what: string, timeoutMs = 30_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
    await delay(2);
  }
}

/** All items of an async generator. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The error that a promise rejects with; fails when it resolves. */
export async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (thrown) {
    return thrown as Error;
  }
  throw new Error('expected a failure');
}
