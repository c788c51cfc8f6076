import {
  backoffMs,
  type Clock,
  errorCode,
  errorMessage,
  type Logger,
  retryOf,
  silentLogger,
  systemClock,
} from '../base/index.ts';
import { type KubeObject, renderGvr } from '../object/index.ts';
import { isKubeError, type KubeError } from './errors.ts';
import type { Indexes } from './informer-cache.ts';
import { type Change, InformerState, type Origin, objectKey } from './informer-state.ts';
import type { KubeClient, ResourceType, Selection, SkippedObject } from './types.ts';

export interface Added<T extends KubeObject, S> {
  readonly key: string;
  readonly stored: S;
  /** Whole; absent only when a late handler gets an object whose projection alone is cached. */
  readonly object: T | undefined;
  /** Part of the state that existed before the handler or the informer started. */
  readonly isInitial: boolean;
  readonly origin: Origin;
}
export type Updated<T extends KubeObject, S> = Omit<Extract<Change<T, S>, { type: 'update' }>, 'type'>;
export type Deleted<T extends KubeObject, S> = Omit<Extract<Change<T, S>, { type: 'delete' }>, 'type'>;

/** Called synchronously and in order, after the cache changed. Errors are logged and not propagated. */
export interface InformerHandler<T extends KubeObject, S = T> {
  readonly onAdd?: (added: Added<T, S>) => void;
  readonly onUpdate?: (updated: Updated<T, S>) => void;
  readonly onDelete?: (deleted: Deleted<T, S>) => void;
}

/** A local copy of one selection of one type, kept up to date by a watch. Do not modify stored forms. */
export interface Informer<T extends KubeObject, S = T> {
  readonly type: ResourceType;
  /** True once the first list is complete and every handler has seen it. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced`; rejects when the signal aborts. */
  synced(signal?: AbortSignal): Promise<void>;
  /** As `synced`, but resolves also when the kind cannot be read for a reason that lasts. */
  settled(signal?: AbortSignal): Promise<void>;
  /** The position of this copy: every change up to here has been handled. */
  readonly resourceVersion: string | undefined;
  /** The server's clock when it returned the last complete list. */
  readonly listedAtServerMs: number | undefined;
  /** Why the list or watch makes no progress, and since when (monotonic); undefined while it does. */
  readonly failing: InformerFailure | undefined;
  readonly size: number;
  /** By `namespace/name`, or the name for cluster-scoped objects. */
  get(key: string): S | undefined;
  list(): S[];
  byIndex(name: string, key: string): S[];
  indexKeys(name: string): string[];
  addIndexes(indexes: Indexes<S>): void;
  /**
   * Passes the existing objects (as added, initial) and then every change to the handler; returns a function that
   * removes it.
   */
  addHandler(handler: InformerHandler<T, S>): () => void;
  /** Lists and watches until the signal aborts; failures are retried for ever. Call once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Why a list or watch makes no progress; `sinceMs` is monotonic. */
interface InformerFailure {
  readonly error: string;
  readonly code: string;
  readonly sinceMs: number;
}

/** A restart does not fix missing kinds and permissions. */
export type LastingFailure = 'kube-not-found' | 'kube-forbidden';

export const isLasting = (code: string | undefined): code is LastingFailure =>
  code === 'kube-not-found' || code === 'kube-forbidden';

export interface InformerOptions<T extends KubeObject, S> extends Selection {
  readonly client: KubeClient;
  readonly type: ResourceType;
  /** The form that the cache keeps of an object; the whole object when absent. */
  readonly project?: ((object: T, key: string) => S) | undefined;
  readonly indexes?: Indexes<S> | undefined;
  readonly metadataOnly?: boolean | undefined;
  readonly pageSize?: number | undefined;
  /**
   * Resumes from here instead of listing first: the cache then holds only what changed since, and counts as synced at
   * once. A version that is too old leads to a list, as it does later.
   */
  readonly resumeFrom?: string | undefined;
  readonly stallMs?: number | undefined;
  /** Called for each object for which a projection, an index or a handler failed. */
  readonly onSkipped?: ((skipped: SkippedObject) => void) | undefined;
  /**
   * Called once when the server does not serve the type or may not be asked for it, instead of the log; again after it
   * was readable.
   */
  readonly onUnreadable?: ((type: ResourceType, code: LastingFailure) => void) | undefined;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
}

// The values of client-go: a server that just started is not flooded, and a restart of one replica goes unnoticed.
const defaultBackoff = { baseMs: 800, maxMs: 30_000 };
/** A watch that ends earlier without any event counts as a failure, so that the loop backs off. */
const shortWatchMs = 1_000;

export function createInformer<T extends KubeObject, S = T>(options: InformerOptions<T, S>): Informer<T, S> {
  const { client, type, clock = systemClock, random = Math.random, backoff = defaultBackoff } = options;
  const { namespace, labelSelector, fieldSelector, metadataOnly, stallMs } = options;
  const selection = { namespace, labelSelector, fieldSelector, metadataOnly };
  const log = (options.log ?? silentLogger).child({ informer: renderGvr(type) });
  // Replaced, never modified: a handler added during a delivery gets that change by the replay alone.
  let handlers: readonly InformerHandler<T, S>[] = [];
  const waiting = new Set<() => void>();
  const settling = new Set<() => void>();
  let hasSynced = false;
  let hasRun = false;
  let listedAtServerMs: number | undefined;
  let failing: InformerFailure | undefined;

  const guarded = (key: string, call: () => void): void => {
    try {
      call();
    } catch (thrown) {
      log.error('an informer handler failed', { key, err: thrown });
      options.onSkipped?.({ type, key, error: errorMessage(thrown) });
    }
  };
  const deliver = (change: Change<T, S>): void => {
    for (const handler of handlers) {
      guarded(change.key, () => {
        if (change.type === 'add') handler.onAdd?.({ ...change, isInitial: !hasSynced });
        else if (change.type === 'update') handler.onUpdate?.(change);
        else handler.onDelete?.(change);
      });
    }
  };
  // Without a projection S is T: the signature's default says so.
  const project = options.project ?? ((object: T) => object as unknown as S);
  const state = new InformerState<T, S>(project, deliver);
  for (const [name, keysOf] of Object.entries(options.indexes ?? {})) state.cache.addIndex(name, keysOf);

  const markSynced = (): void => {
    if (hasSynced) return;
    hasSynced = true;
    wakeAll(waiting);
    wakeAll(settling);
  };

  const relist = async (signal: AbortSignal): Promise<void> => {
    let version = '';
    state.beginList();
    for await (const page of client.pages<T>(type, { ...selection, limit: options.pageSize, signal })) {
      if (page.startsOver) state.beginList();
      version = page.resourceVersion;
      for (const item of page.items) {
        try {
          state.listed(item);
        } catch (thrown) {
          skip(item, thrown);
        }
      }
      listedAtServerMs = page.serverTimeMs;
    }
    state.endList(version);
    if (isLasting(failing?.code)) {
      log.info('the kind can be read again');
      failing = undefined;
    }
    markSynced();
  };

  /** Projections and indexes walk foreign objects. One that overflows the stack must not end the watch. */
  const skip = (object: T, thrown: unknown): void => {
    const key = objectKey(object);
    log.error('cannot handle an object; skipping it', { key, error: errorMessage(thrown) });
    options.onSkipped?.({ type, key, error: errorMessage(thrown) });
    state.skip(object);
  };

  const handled = (kind: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): boolean => {
    try {
      return state.event(kind, object);
    } catch (thrown) {
      skip(object, thrown);
      return true;
    }
  };

  /** Follows one connection to its end; true when it made progress. */
  const follow = async (resourceVersion: string, signal: AbortSignal, onProgress: () => void): Promise<boolean> => {
    const startedAtMs = clock.monotonicMs();
    let isUseful = false;
    for await (const event of client.watch<T>(type, { ...selection, resourceVersion, stallMs, signal })) {
      if (event.type === 'BOOKMARK') state.bookmark(event.resourceVersion);
      else if (!handled(event.type, event.object)) continue;
      isUseful = true;
      onProgress();
    }
    return isUseful || clock.monotonicMs() - startedAtMs >= shortWatchMs;
  };

  const pause = async (attempt: number, thrown: unknown, signal: AbortSignal): Promise<void> => {
    const ms = backoffMs(attempt, { ...backoff, random });
    const named = retryOf(thrown);
    await clock.sleep(typeof named === 'object' ? Math.max(ms, named.afterMs) : ms, signal);
  };

  const loop = async (signal: AbortSignal): Promise<void> => {
    let failures = 0;
    while (!signal.aborted) {
      try {
        // A successful list is not yet progress: a server may answer every watch with 410.
        if (state.resourceVersion === undefined) await relist(signal);
        const onProgress = () => {
          failures = 0;
          failing = undefined;
        };
        if (await follow(state.resourceVersion ?? '', signal, onProgress)) onProgress();
        else await pause(failures++, undefined, signal);
      } catch (thrown) {
        if (signal.aborted) return;
        if (needsList(thrown)) state.resourceVersion = undefined;
        report(thrown, failures);
        if (!needsList(thrown))
          failing = {
            error: errorMessage(thrown),
            code: errorCode(thrown) ?? '',
            sinceMs: failing?.sinceMs ?? clock.monotonicMs(),
          };
        if (isLasting(failing?.code)) wakeAll(settling);
        // The first relist after a 410 need not wait: the server is healthy.
        if (needsList(thrown) && failures === 0) failures++;
        else await pause(failures++, thrown, signal);
      }
    }
  };

  const report = (thrown: unknown, failures: number): void => {
    const fields = { error: errorMessage(thrown), failures };
    if (needsList(thrown)) log.info('resourceVersion too old to resume the watch; listing again', fields);
    else if (isKubeError(thrown) && isLasting(thrown.code) && options.onUnreadable) {
      log.debug('a list or watch failed', fields);
      if (failing?.code !== thrown.code) options.onUnreadable(type, thrown.code);
    } else if (failures === 0) log.debug('a list or watch failed', fields);
    else log.warn('a list or watch keeps failing', fields);
  };

  return {
    type,
    get hasSynced() {
      return hasSynced;
    },
    synced: (signal) => (hasSynced ? Promise.resolve() : woken(waiting, signal)),
    settled: (signal) => (hasSynced || isLasting(failing?.code) ? Promise.resolve() : woken(settling, signal)),
    get resourceVersion() {
      return state.resourceVersion;
    },
    get listedAtServerMs() {
      return listedAtServerMs;
    },
    get failing() {
      return failing;
    },
    get size() {
      return state.cache.size;
    },
    get: (key) => state.cache.get(key)?.stored,
    list: () => Array.from(state.cache.values(), (entry) => entry.stored),
    byIndex: (name, key) => Array.from(state.cache.byIndex(name, key), (entry) => entry.stored),
    indexKeys: (name) => [...state.cache.indexKeys(name)],
    addIndexes(indexes) {
      for (const [name, keysOf] of Object.entries(indexes)) state.cache.addIndex(name, keysOf);
    },
    addHandler(handler) {
      for (const { key, stored } of [...state.cache.values()]) {
        const object = options.project === undefined ? (stored as unknown as T) : undefined;
        guarded(key, () => handler.onAdd?.({ key, stored, object, isInitial: true, origin: 'listed' }));
      }
      handlers = [...handlers, handler];
      return () => {
        handlers = handlers.filter((other) => other !== handler);
      };
    },
    async run(signal) {
      if (hasRun) throw new Error('an informer runs once');
      hasRun = true;
      if (options.resumeFrom !== undefined) {
        state.resourceVersion = options.resumeFrom;
        markSynced();
      }
      await loop(signal).catch((thrown) => {
        if (!signal.aborted) throw thrown;
      });
    },
  };
}

function wakeAll(waiting: Set<() => void>): void {
  for (const wake of waiting) wake();
  waiting.clear();
}

function woken(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      waiting.delete(wake);
      reject(signal?.reason);
    };
    const wake = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    waiting.add(wake);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** 410, and the response of a server that lost its newest data and does not know the version yet. */
function needsList(thrown: unknown): thrown is KubeError {
  if (!isKubeError(thrown)) return false;
  return thrown.code === 'kube-gone' || thrown.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge');
}
