import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/index.ts';
import type { Viewer } from './access.ts';
import type { Cargo } from './cargo.ts';
import type { Changes } from './changes.ts';
import { HttpError, securityHeaders } from './http.ts';
import type { ChangedView, ChangeMessage, HelloMessage, ShownKind } from './protocol.ts';
import type { Visibility } from './visibility.ts';

export interface Streams {
  /** Answers with the stream until the client goes, or the user. */
  open(request: IncomingMessage, response: ServerResponse, viewer: Viewer, rights: Rights): void;
  readonly size: number;
  /** The id of the last change; a stream that continues after it misses nothing that came since. */
  readonly lastEventId: string;
  run(signal: AbortSignal): Promise<void>;
}

interface Rights {
  /** False when the user has signed out. */
  isSignedIn(): boolean;
  /** What the user may see now; undefined ends the stream. */
  look(): Promise<Pick<Viewer, 'sees' | 'isPartial'> | undefined>;
}

interface Client extends Rights {
  readonly response: ServerResponse;
  /** Undefined for those who share a link. */
  readonly user: string | undefined;
  sees: Visibility;
  isPartial: boolean;
  lookedAtMs: number;
  wroteAtMs: number;
}

interface StreamsOptions {
  readonly cargo: Cargo;
  readonly clock: Clock;
  readonly mergeMs?: number;
  readonly maxClients?: number;
}

/** One user must not take the streams of the others. */
const maxClientsOfUser = 20;

const heartbeatMs = 15_000;
const lookMs = 60_000;
/** For rights of which some are not known yet. */
const lookSoonMs = 2_000;
/** Changes that a client may have missed and still resume. */
const maxKept = 240;
/** A client that leaves more unread is dropped; it comes back and resumes. */
const maxUnreadBytes = 256 << 10;

/** Server-Sent Events: which views and images changed, merged, for each client only what its user may see. */
export function createStreams({ cargo, clock, mergeMs = 500, maxClients = 100 }: StreamsOptions): Streams {
  const boot = randomBytes(6).toString('hex');
  const clients = new Set<Client>();
  const kept: { readonly number: number; readonly changes: Changes }[] = [];
  /** Of the last look for changes: counting the changes would tell how much happens where one may not look. */
  let number = 0;
  /** Of the last change that is no longer kept. */
  let forgotten = 0;

  const write = (client: Client, text: string): void => {
    client.response.write(text);
    client.wroteAtMs = clock.monotonicMs();
    if (client.response.writableLength <= maxUnreadBytes) return;
    clients.delete(client);
    client.response.destroy();
  };
  const send = (client: Client, event: string, data: object) =>
    write(client, `id: ${streams.lastEventId}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);

  const flush = (): void => {
    const changes = cargo.changes.take();
    number++;
    if (changes) kept.push({ number, changes });
    if (kept.length > maxKept) forgotten = kept.shift()!.number;
    const nowMs = clock.monotonicMs();
    for (const client of [...clients]) {
      if (!client.isSignedIn()) {
        client.response.end();
        continue;
      }
      const message = changes && messageFor([changes], client.sees);
      if (message) send(client, 'change', message);
      else if (nowMs - client.wroteAtMs >= heartbeatMs) write(client, ':\n\n');
      if (nowMs - client.lookedAtMs < (client.isPartial ? lookSoonMs : lookMs)) continue;
      client.lookedAtMs = nowMs;
      client.look().then(
        (found) => {
          if (!found) {
            client.response.end();
            return;
          }
          const { sees, isPartial = false } = found;
          const isSame = sees.key === client.sees.key;
          [client.sees, client.isPartial] = [sees, isPartial];
          // What is shown may no longer be seen, or is less than what is seen now.
          if (!isSame && clients.has(client)) send(client, 'change', { views: shownViews });
        },
        // The API server does not answer: what was allowed a minute ago must not stay visible for ever.
        () => client.response.end(),
      );
    }
  };

  /** The number after which the client continues; undefined if it must read everything anew. */
  const resumePoint = (request: IncomingMessage): number | undefined => {
    const [, known, text] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(String(request.headers['last-event-id'] ?? '')) ?? [];
    if (known !== boot) return undefined;
    const after = Number(text);
    return after <= number && after >= forgotten ? after : undefined;
  };

  const streams: Streams = {
    get size() {
      return clients.size;
    },
    get lastEventId() {
      return `${boot}-${number}`;
    },
    open(request, response, viewer, rights) {
      const { sees, isPartial = false } = viewer;
      const user = viewer.method === 'link' ? undefined : viewer.user;
      const own = user === undefined ? 0 : [...clients].filter((client) => client.user === user).length;
      if (clients.size >= maxClients || own >= maxClientsOfUser)
        throw new HttpError('too-many', 'too many streams are open', { 'retry-after': '30' });
      const after = resumePoint(request);
      response.writeHead(200, {
        ...securityHeaders,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      const nowMs = clock.monotonicMs();
      const client: Client = { ...rights, response, user, sees, isPartial, lookedAtMs: nowMs, wroteAtMs: nowMs };
      clients.add(client);
      response.on('close', () => clients.delete(client));
      response.on('error', () => clients.delete(client));
      const hello: HelloMessage = { isResumed: after !== undefined, heartbeatMs };
      response.write('retry: 1000\n');
      send(client, 'hello', hello);
      if (after === undefined) return;
      const missed = kept.filter((one) => one.number > after).map(({ changes }) => changes);
      const message = messageFor(missed, sees);
      if (message) send(client, 'change', message);
    },
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(mergeMs, signal).catch(() => undefined);
        if (!signal.aborted) flush();
      }
      for (const { response } of clients) response.end();
      clients.clear();
    },
  };
  return streams;
}

const shownViews: readonly ChangedView[] = ['overview', 'images', 'copies', 'pipeline', 'results', 'jobs', 'system'];

/** Undefined if nothing that the user may see changed. */
function messageFor(all: readonly Changes[], sees: Visibility): ChangeMessage | undefined {
  const views = new Set<ChangedView>();
  let images: Set<string> | undefined = new Set();
  for (const changes of all) {
    for (const [view, scopes] of changes.views) if (scopes.isSeenBy(sees)) views.add(view);
    if (changes.images === undefined) images = undefined;
    for (const [id, scopes] of changes.images ?? []) if (scopes.isSeenBy(sees, seesUser(sees))) images?.add(id);
  }
  if (views.size === 0) return undefined;
  return { views: [...views], ...(images ? { images: [...images] } : {}) };
}

/** A report names no images: those of its workload are for those who may list the workload's pods. */
const seesUser = (sees: Visibility) => (kind: ShownKind, namespace: string) =>
  kind !== 'policyreports' || sees.sees('pods', namespace);
