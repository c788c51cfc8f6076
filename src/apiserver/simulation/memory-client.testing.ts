import { dequal } from 'dequal';
import { type Clock, rfc3339 } from '../../base/index.ts';
import { type GroupVersionResource, type KubeObject, renderGvr } from '../../object/index.ts';
import type { InternalClient, StoreEvent } from '../internal-client.ts';
import { statusError } from '../status.ts';

export interface MemoryClient extends InternalClient {
  /** Throws to deny a write, as a policy would. */
  refuse: ((verb: 'create' | 'update', type: GroupVersionResource, object: KubeObject) => void) | undefined;
  /** Every n-th update fails with a conflict; 0 for none. */
  conflictEvery: number;
  readonly writes: number;
}

type Handler = (event: StoreEvent) => void;
interface Collection {
  readonly objects: Map<string, KubeObject>;
  readonly handlers: Set<Handler>;
}

/**
 * The minimal API server that the simulation needs: versions, generations, conflicts, generated names, graceful
 * deletion of pods, removal of dependents. Stored objects are frozen, so that a change in place fails.
 */
export function createMemoryClient(clock: Clock): MemoryClient {
  const collections = new Map<string, Collection>();
  let version = 0;
  let updates = 0;

  const collectionOf = (type: GroupVersionResource): Collection => {
    const key = renderGvr(type);
    const known = collections.get(key) ?? { objects: new Map(), handlers: new Set() };
    collections.set(key, known);
    return known;
  };
  const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace ?? ''}/${metadata.name}`;

  const emit = (collection: Collection, event: StoreEvent) => {
    for (const handler of collection.handlers) handler(event);
  };
  const put = (collection: Collection, object: KubeObject, previous?: KubeObject): KubeObject => {
    const next = freeze({ ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } });
    collection.objects.set(keyOf(next), next);
    emit(collection, previous ? { type: 'MODIFIED', object: next, previous } : { type: 'ADDED', object: next });
    return next;
  };
  const remove = (collection: Collection, object: KubeObject) => {
    collection.objects.delete(keyOf(object));
    emit(collection, { type: 'DELETED', object, previous: object });
    for (const other of collections.values()) {
      for (const dependent of [...other.objects.values()]) {
        const isOwned = dependent.metadata.ownerReferences?.some((one) => one.uid === object.metadata.uid);
        if (isOwned) startDeletion(other, dependent, undefined);
      }
    }
  };
  const startDeletion = (collection: Collection, object: KubeObject, gracePeriodSeconds: number | undefined) => {
    const isAssigned = object.kind === 'Pod' && Boolean((object['spec'] as { nodeName?: string }).nodeName);
    const isGraceful = isAssigned && gracePeriodSeconds !== 0;
    if (!isGraceful && (object.metadata.finalizers ?? []).length === 0) return remove(collection, object);
    if (object.metadata.deletionTimestamp) return;
    const seconds = isGraceful ? 30 : 0;
    const metadata = {
      ...object.metadata,
      deletionTimestamp: rfc3339(clock.now() + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
    };
    put(collection, { ...object, metadata }, object);
  };

  const client: MemoryClient = {
    refuse: undefined,
    conflictEvery: 0,
    get writes() {
      return version;
    },
    get: (type, namespace, name) => collectionOf(type).objects.get(`${namespace}/${name}`),
    list: (type, namespace) =>
      [...collectionOf(type).objects.values()].filter(
        (object) => namespace === undefined || object.metadata.namespace === namespace,
      ),
    watch(type, handler) {
      const { objects, handlers } = collectionOf(type);
      for (const object of objects.values()) handler({ type: 'ADDED', object });
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    async create(type, object) {
      await Promise.resolve();
      client.refuse?.('create', type, object);
      const number = (version + 1).toString(36).padStart(5, '0');
      const name = object.metadata.name ?? `${object.metadata.generateName}${number}`;
      const collection = collectionOf(type);
      if (collection.objects.has(`${object.metadata.namespace ?? ''}/${name}`)) {
        throw statusError(409, `${type.resource} "${name}" already exists`, undefined, 'AlreadyExists');
      }
      const identity = { name, uid: `uid-${version + 1}`, creationTimestamp: rfc3339(clock.now()), generation: 1 };
      return put(collection, { ...structuredClone(object), metadata: { ...object.metadata, ...identity } });
    },
    async update(type, object, subresource) {
      await Promise.resolve();
      client.refuse?.('update', type, object);
      const collection = collectionOf(type);
      const current = collection.objects.get(keyOf(object));
      if (!current) throw statusError(404, `${type.resource} "${object.metadata.name}" not found`);
      updates++;
      const isForced = client.conflictEvery > 0 && updates % client.conflictEvery === 0;
      if (isForced || object.metadata.resourceVersion !== current.metadata.resourceVersion) {
        throw statusError(409, 'the object has been modified; please apply your changes to the latest version');
      }
      if (subresource === 'status') return put(collection, { ...current, status: object['status'] }, current);
      const isSpecChanged = !dequal(object['spec'], current['spec']);
      const generation = (current.metadata.generation ?? 1) + (isSpecChanged ? 1 : 0);
      const next = { ...object, metadata: { ...object.metadata, generation }, status: current['status'] };
      if (next.metadata.deletionTimestamp && (next.metadata.finalizers ?? []).length === 0 && next.kind !== 'Pod') {
        remove(collection, next);
        return next;
      }
      return put(collection, next, current);
    },
    async delete(type, namespace, name, options = {}) {
      await Promise.resolve();
      const collection = collectionOf(type);
      const current = collection.objects.get(`${namespace}/${name}`);
      if (!current) throw statusError(404, `${type.resource} "${name}" not found`);
      if (options.uid !== undefined && options.uid !== current.metadata.uid) throw statusError(409, 'uid mismatch');
      version++;
      startDeletion(collection, current, options.gracePeriodSeconds);
    },
  };
  return client;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
