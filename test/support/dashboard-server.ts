import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { securityHeaders } from '../../src/dashboard/http.ts';
import type { ChangeMessage, ErrorCode } from '../../src/dashboard/protocol.ts';
import type { DashboardFixture } from './dashboard-fixture.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface DashboardServer {
  readonly url: string;
  /** Paths of the API that were asked for, with their queries. */
  readonly requests: string[];
  fixture: DashboardFixture;
  /** Every request of the API fails with it while it is set; `stream` keeps the stream working. */
  failure: { readonly status: number; readonly code: ErrorCode; readonly message: string } | undefined;
  /** Also that for the session, which otherwise fails with 401 alone. */
  failsSession: boolean;
  /** How many streams are open. */
  streams(): number;
  send(change: ChangeMessage): void;
  dropStreams(): void;
  /** Drops the streams, and knows none of the messages that were sent: another process answers from now on. */
  restart(): void;
  /** No request but that for the session is answered before the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
}

/** Speaks the protocol of the dashboard with data of a fixture, and says what was asked. */
export async function startDashboardServer(fixture: DashboardFixture): Promise<DashboardServer> {
  const streams = new Set<ServerResponse>();
  const requests: string[] = [];
  const sent: string[] = [];
  let run = 1;
  let held: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const dashboard: DashboardServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fixture,
    failure: undefined,
    failsSession: false,
    streams: () => streams.size,
    send(change) {
      const message = `id: ${run}-${sent.length + 1}\nevent: change\ndata: ${JSON.stringify(change)}\n\n`;
      sent.push(message);
      for (const stream of streams) stream.write(message);
    },
    dropStreams() {
      for (const stream of streams) stream.destroy();
    },
    restart() {
      run++;
      sent.length = 0;
      for (const stream of streams) stream.destroy();
    },
    hold() {
      let release = () => {};
      held = new Promise<void>((resolve) => {
        release = resolve;
      });
      return release;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return dashboard;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost');
    // The page must work under the policy of the real server; a violation fails a test.
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    if (!url.pathname.startsWith('/api/')) {
      asset(url.pathname, response);
      return;
    }
    requests.push(`${url.pathname}${url.search}`);
    if (url.pathname !== '/api/session') await held;
    const { failure, failsSession } = dashboard;
    const found = api(dashboard.fixture, url, `${run}-${sent.length}`);
    if (failure !== undefined && (failsSession || failure.status === 401 || url.pathname !== '/api/session')) {
      const { status, code, message } = failure;
      json(response, { error: { code, message } }, status);
    } else if (url.pathname === '/api/events') stream(request, response);
    else if (found === undefined) json(response, { error: { code: 'not-found', message: 'no such image' } }, 404);
    else json(response, found);
  }

  function stream(request: IncomingMessage, response: ServerResponse): void {
    const [from, lastId] = String(request.headers['last-event-id'] ?? '').split('-');
    const isResumed = from === String(run);
    const hello = JSON.stringify({ isResumed, heartbeatMs: 15_000 });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(`id: ${run}-${isResumed ? lastId : sent.length}\nevent: hello\ndata: ${hello}\n\n`);
    if (isResumed) for (const message of sent.slice(Number(lastId))) response.write(message);
    streams.add(response);
    response.on('close', () => streams.delete(response));
  }
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function asset(path: string, response: ServerResponse): void {
  const name = /^\/[\w.-]+\.(js|css|svg)$/.test(path) ? path.slice(1) : 'index.html';
  try {
    const body = readFileSync(join(import.meta.dirname, '../../dist/ui', `${name}.br`));
    response.writeHead(200, { 'content-type': types[extname(name)]!, 'content-encoding': 'br' }).end(body);
  } catch {
    response.writeHead(404).end();
  }
}

function api(fixture: DashboardFixture, { pathname, searchParams: query }: URL, lastEventId: string): unknown {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const found = <Row>(rows: readonly Row[], text: (row: Row) => string, keep: (row: Row) => boolean) =>
    rows.filter((row) => keep(row) && words.every((word) => text(row).toLowerCase().includes(word)));
  const is = (name: string, value: string | undefined) => (query.get(name) ?? value) === value;
  const paged = <Row>(rows: readonly Row[], kept: readonly Row[]) => {
    const limit = Number(query.get('limit') ?? 200);
    const offset = Number(query.get('cursor') ?? query.get('offset') ?? 0);
    const next = offset + limit;
    return {
      items: kept.slice(offset, next),
      total: rows.length,
      matched: kept.length,
      offset,
      ...(next < kept.length ? { cursor: String(next) } : {}),
    };
  };
  const { overview } = fixture;
  switch (pathname) {
    case '/api/session':
      return { ...fixture.session, lastEventId };
    case '/api/overview':
      return overview;
    case '/api/images': {
      const kept = found(
        fixture.images,
        (row) => row.id,
        (row) => is('registry', row.registry) && is('copy', row.copy) && (!query.has('running') || row.workloads > 0),
      );
      const direction = query.get('order') === 'desc' ? -1 : 1;
      if (query.get('sort') === 'workloads') kept.sort((a, b) => (a.workloads - b.workloads) * direction);
      const copies = [...new Set(fixture.images.map((row) => row.copy))];
      return {
        ...paged(fixture.images, kept),
        facets: {
          namespaces: fixture.groups.groups.map(({ name }) => ({ name, count: 7 })),
          registries: overview.images.registries,
          copies: copies.map((name) => ({ name, count: fixture.images.filter((row) => row.copy === name).length })),
          results: [{ name: 'fail', count: 3 }],
        },
      };
    }
    case '/api/image': {
      const row = fixture.images.find(({ id }) => id === query.get('id'));
      return row && fixture.imageAnswer(row);
    }
    case '/api/copies':
      return {
        ...paged(
          fixture.copies,
          found(
            fixture.copies,
            (row) => row.image,
            (row) => is('state', row.state),
          ),
        ),
        counts: overview.copies,
      };
    case '/api/pipeline':
      return { ...paged(fixture.policies, fixture.policies), counts: overview.detections };
    case '/api/detections':
      return paged(
        fixture.detections,
        found(
          fixture.detections,
          (row) => row.image,
          (row) => is('phase', row.phase),
        ),
      );
    case '/api/results/groups':
      return { ...fixture.groups, by: query.get('by') };
    case '/api/results':
      return paged(
        fixture.results,
        found(
          fixture.results,
          (row) => `${row.policy} ${row.resource.name}`,
          (row) => is('result', row.result) && is('ns', row.resource.namespace),
        ),
      );
    case '/api/jobs':
      return {
        ...paged(
          fixture.jobs,
          found(
            fixture.jobs,
            (row) => row.name,
            (row) => is('state', row.state),
          ),
        ),
        counts: overview.jobs,
      };
    case '/api/system':
      return fixture.system;
    case '/api/explain':
      return fixture.explanation;
    default:
      return undefined;
  }
}
