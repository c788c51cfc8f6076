import type { ServerResponse } from 'node:http';
import { renderJson } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { type ObjectMatcher, selectionOf } from '../operations/selection.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { type Status, statusError } from '../status.ts';
import { type Change, type Entry, entryOf, type Store } from '../store/index.ts';
import { encodingOf, type Representation, renderOne, type TableRequest } from './representation.ts';
import { WatchBroadcast } from './watch-broadcast.ts';
import { WatchConnection } from './watch-connection.ts';

interface WatchRequest {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutMs: number;
  readonly representation: Representation;
  readonly table: TableRequest;
}

const bookmarkEveryMs = 30_000;

/** Serves watches, each until the client disconnects, the timeout expires or the server stops. */
export class Watches {
  private readonly broadcasts = new WeakMap<ResourceDefinition, Map<string, WatchBroadcast>>();

  constructor(private readonly store: Store) {}

  /** Resolves when the initial events are sent; further events follow asynchronously. */
  async serve(definition: ResourceDefinition, request: WatchRequest, response: ServerResponse): Promise<void> {
    checkOptions(request);
    const view = viewOf(definition, request);
    const { store } = this;
    const collection = store.collection(definition.storage);
    const from = Number(request.resourceVersion || '0');
    const wantsState = request.sendInitialEvents ?? from === 0;
    const missed = wantsState || from === 0 ? [] : collection.changesSince(from);
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    if (!missed) {
      const { status } = statusError(410, `too old resource version: ${from} (${store.revision})`);
      response.end(errorEvent(status));
      return;
    }
    response.flushHeaders();
    const state = wantsState ? collection.entries(view.exactKey ?? view.prefix) : [];
    const endBookmark = request.sendInitialEvents ? [bookmark(store.revision, definition, true)] : [];
    const initialEvents = initialEventsOf(view, state, missed, endBookmark);
    const connection = new WatchConnection(response);
    const broadcast = this.broadcast(view, request);
    broadcast.join(connection);
    const sendBookmark = () => {
      broadcast.flush();
      connection.write(Buffer.from(bookmark(store.revision, definition, false)));
    };
    const bookmarks = request.bookmarks ? setInterval(sendBookmark, bookmarkEveryMs) : undefined;
    const timeout = setTimeout(() => {
      broadcast.flush();
      if (request.bookmarks) sendBookmark();
      connection.end();
    }, request.timeoutMs);
    response.on('close', () => {
      broadcast.leave(connection);
      clearInterval(bookmarks);
      clearTimeout(timeout);
    });
    // Table rows must be rendered in the order they are sent: the first one carries the columns.
    await connection.begin(request.representation === 'table' ? [...initialEvents] : initialEvents);
  }

  private broadcast(view: View, request: WatchRequest): WatchBroadcast {
    const { definition } = view;
    const collection = this.store.collection(definition.storage);
    const render = (change: Change) => renderChange(view, change);
    // Only the first rows of a table carry the columns, so each watcher of a table gets different bytes.
    if (request.representation === 'table') return new WatchBroadcast(collection, render);
    let known = this.broadcasts.get(definition);
    if (!known) this.broadcasts.set(definition, (known = new Map()));
    const { namespace, labelSelector, fieldSelector, representation } = request;
    const key = JSON.stringify([namespace, labelSelector, fieldSelector, representation]);
    let broadcast = known.get(key);
    if (!broadcast) {
      // What stops matching is sent in another form than it is stored in.
      const isStored = (change: Change) => view.matches === undefined || change.previous === undefined;
      const encoding = (change: Change) =>
        isStored(change) ? encodingOf([change.entry], definition, representation) : 'utf8';
      broadcast = new WatchBroadcast(collection, render, () => known.delete(key), encoding);
      known.set(key, broadcast);
    }
    return broadcast;
  }
}

/** What one watcher, or all watchers of a broadcast, select, and how it is rendered. */
interface View {
  readonly definition: ResourceDefinition;
  readonly prefix: string;
  /** Set when the watch selects one object. */
  readonly exactKey: string | undefined;
  readonly matches: ObjectMatcher | undefined;
  readonly render: (entry: Entry) => string;
}

function viewOf(definition: ResourceDefinition, request: WatchRequest): View {
  const { representation, table } = request;
  const { matches, name } = selectionOf(definition, request.labelSelector, request.fieldSelector);
  const prefix = request.namespace === '' ? '' : `${request.namespace}/`;
  const exactKey = name !== undefined && (prefix !== '' || !definition.namespaced) ? `${prefix}${name}` : undefined;
  let omitColumns = false;
  const render = (entry: Entry) => {
    const text = renderOne(entry, definition, representation, omitColumns ? { ...table, omitColumns } : table);
    omitColumns = representation === 'table';
    return text;
  };
  return { definition, prefix, exactKey, matches, render };
}

function* initialEventsOf(
  view: View,
  state: readonly Entry[],
  missed: readonly Change[],
  endBookmark: readonly string[],
): Iterable<string> {
  const { exactKey, matches, prefix, render } = view;
  for (const entry of state) {
    // The entries were selected by key prefix: one name may be the prefix of another.
    if (exactKey !== undefined && `${prefix}${entry.metadata.name}` !== exactKey) continue;
    if (!matches || matches(entry)) yield line('ADDED', render(entry));
  }
  for (const change of missed) {
    const text = renderChange(view, change);
    if (text !== undefined) yield text;
  }
  yield* endBookmark;
}

function renderChange({ exactKey, prefix, matches, render }: View, change: Change): string | undefined {
  const isAbout = exactKey === undefined ? change.key.startsWith(prefix) : change.key === exactKey;
  const type = isAbout ? eventType(change, matches) : undefined;
  if (!type) return undefined;
  // An object that stops matching is sent in its last matching state, with the resourceVersion of the change.
  const isExit = type === 'DELETED' && change.type !== 'DELETED';
  return line(type, render(isExit ? withRevision(change.previous!.object, change.revision) : change.entry));
}

function withRevision(object: KubeObject, revision: number): Entry {
  const shown = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  return entryOf(shown, revision);
}

/** With a selector, an object that starts or stops matching is ADDED or DELETED for this watcher. */
function eventType(change: Change, matches: ObjectMatcher | undefined): Change['type'] | undefined {
  if (!matches) return change.type;
  const now = change.type !== 'DELETED' && matches(change.entry);
  const before = change.previous !== undefined && matches(change.previous);
  if (now) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

const line = (type: string, object: string) => `{"type":"${type}","object":${object}}\n`;

function bookmark(revision: number, definition: ResourceDefinition, initialEventsEnd: boolean): string {
  const { group, version, kind } = definition;
  return line(
    'BOOKMARK',
    renderJson({
      kind,
      apiVersion: group === '' ? version : `${group}/${version}`,
      metadata: {
        resourceVersion: String(revision),
        creationTimestamp: null,
        ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    }),
  );
}

const errorEvent = (status: Status) => line('ERROR', renderJson(status));

function checkOptions({ sendInitialEvents, resourceVersion, resourceVersionMatch }: WatchRequest): void {
  const invalid = (message: string) =>
    statusError(422, `ListOptions.meta.k8s.io "" is invalid: ${message}`, {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
    });
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw statusError(400, `Invalid value: ${JSON.stringify(resourceVersion)}: resourceVersion must be a number`);
  }
  if (sendInitialEvents !== undefined && resourceVersionMatch !== 'NotOlderThan') {
    throw invalid(
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  }
  if (sendInitialEvents === undefined && resourceVersionMatch !== '') {
    throw invalid(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
  }
}
