import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../../object/index.ts';
import { type SeenRequest, sendJson, sendStatus } from './server.ts';

interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly version: number;
}

/** Pods of one fake cluster: lists by pages from snapshots, watches from history, drops history on `compact`. */
export class FakeStore {
  readonly objects = new Map<string, KubeObject>();
  version = 100;
  private uids = 0;
  private oldest = 100;
  private history: StoreEvent[] = [];
  private readonly watchers = new Map<ServerResponse, number>();
  private readonly snapshots = new Map<string, { items: KubeObject[]; version: number }>();

  get watcherCount(): number {
    return this.watchers.size;
  }

  put(name: string, fields: Readonly<Record<string, unknown>> = {}): KubeObject {
    const known = this.objects.get(name);
    const uid = known?.metadata.uid ?? `uid-${++this.uids}`;
    const metadata = { name, namespace: 'shop', uid, resourceVersion: String(++this.version) };
    const object = { apiVersion: 'v1', kind: 'Pod', metadata, ...fields };
    this.objects.set(name, object);
    this.emit({ type: known ? 'MODIFIED' : 'ADDED', object, version: this.version });
    return object;
  }

  delete(name: string): void {
    const known = this.objects.get(name);
    if (known === undefined) return;
    this.objects.delete(name);
    const metadata = { ...known.metadata, resourceVersion: String(++this.version) };
    this.emit({ type: 'DELETED', object: { ...known, metadata }, version: this.version });
  }

  bookmark(): void {
    const metadata = { resourceVersion: String(this.version) };
    for (const response of this.watchers.keys()) {
      response.write(`${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } })}\n`);
    }
  }

  /** Drops history and continue tokens: watches from before now get 410. */
  compact(): void {
    this.history = [];
    this.snapshots.clear();
    this.oldest = this.version;
  }

  endWatches(): void {
    for (const response of this.watchers.keys()) response.end();
    this.watchers.clear();
  }

  respond(request: SeenRequest, response: ServerResponse): void {
    if (request.query.get('watch') === 'true') this.watch(request, response);
    else this.list(request, response);
  }

  private list({ query }: SeenRequest, response: ServerResponse): void {
    const token = query.get('continue');
    const [id = '', offset = '0'] = (token ?? '').split(':');
    const snapshot = token
      ? this.snapshots.get(id)
      : {
          items: [...this.objects.values()].map(({ apiVersion: _, kind: __, ...rest }) => rest),
          version: this.version,
        };
    if (snapshot === undefined) {
      sendStatus(response, 410, 'Expired');
      return;
    }
    const limit = Number(query.get('limit') ?? '0') || Number.POSITIVE_INFINITY;
    const start = Number(offset);
    const hasMore = start + limit < snapshot.items.length;
    const next = hasMore ? (token ? id : `s${this.version}`) : '';
    if (hasMore) this.snapshots.set(next, snapshot as { items: KubeObject[]; version: number });
    sendJson(response, {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(snapshot.version),
        ...(hasMore ? { continue: `${next}:${start + limit}` } : {}),
      },
      items: snapshot.items.slice(start, start + limit),
    });
  }

  private watch({ query }: SeenRequest, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion'));
    if (from < this.oldest) {
      sendStatus(response, 410, 'Expired', { message: 'too old resource version' });
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.watchers.set(response, from);
    response.on('close', () => this.watchers.delete(response));
    for (const event of this.history) if (event.version > from) send(response, event);
  }

  private emit(event: StoreEvent): void {
    this.history.push(event);
    for (const response of this.watchers.keys()) send(response, event);
  }
}

function send(response: ServerResponse, { type, object }: StoreEvent): void {
  response.write(`${JSON.stringify({ type, object })}\n`);
}
