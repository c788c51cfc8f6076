import { setMaxListeners } from 'node:events';
import { whenAborted } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { renderGvr } from '../object/index.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';
import type { Indexes } from './informer-cache.ts';
import type { ResourceType, Selection } from './types.ts';

/** The form that the cache keeps. Shared by name, so one name must always mean the same function. */
interface Projection<T extends KubeObject, S> {
  readonly name: string;
  readonly project: (object: T, key: string) => S;
}

interface SharedInformerOptions<T extends KubeObject, S> extends Selection {
  readonly projection?: Projection<T, S> | undefined;
  readonly metadataOnly?: boolean | undefined;
  /** Added to the indexes of the other users. */
  readonly indexes?: Indexes<S> | undefined;
  /** Of a kind that the cluster may not serve, or may not let us read: nobody waits for it then. */
  readonly isOptional?: boolean | undefined;
}

/** One informer per type, selection and projection, shared by all users. */
export interface InformerFactory {
  for<T extends KubeObject, S = T>(type: ResourceType, options?: SharedInformerOptions<T, S>): Informer<T, S>;
  /** Runs every informer, also those requested later, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every informer requested so far has its first list; optional ones, when that is decided. */
  synced(signal?: AbortSignal): Promise<void>;
  /** Every informer requested so far. */
  all(): readonly Pick<Informer<KubeObject, unknown>, 'type' | 'hasSynced' | 'failing'>[];
}

type CommonOptions = Pick<
  InformerOptions<KubeObject, unknown>,
  'client' | 'log' | 'clock' | 'random' | 'backoff' | 'pageSize' | 'stallMs' | 'onSkipped' | 'onUnreadable'
>;

export function createInformerFactory(common: CommonOptions): InformerFactory {
  // The key holds type and projection, so an entry's type parameters are those of its creator.
  const informers = new Map<string, Informer<KubeObject, unknown>>();
  const required = new Set<Informer<KubeObject, unknown>>();
  const running = new Set<Promise<void>>();
  let runSignal: AbortSignal | undefined;
  let fail: (thrown: unknown) => void = () => {};

  const start = (informer: Informer<KubeObject, unknown>, signal: AbortSignal) => {
    const work = informer.run(signal).catch((thrown) => fail(thrown));
    running.add(work);
  };

  return {
    for<T extends KubeObject, S>(type: ResourceType, options: SharedInformerOptions<T, S> = {}) {
      const { projection, indexes, metadataOnly = false, namespace, labelSelector, fieldSelector } = options;
      const id = JSON.stringify([
        renderGvr(type),
        namespace ?? '',
        labelSelector ?? '',
        fieldSelector ?? '',
        metadataOnly,
        projection?.name ?? '',
      ]);
      let informer = informers.get(id) as unknown as Informer<T, S> | undefined;
      if (informer === undefined) {
        const selection = { namespace, labelSelector, fieldSelector, metadataOnly };
        informer = createInformer<T, S>({ ...common, ...selection, type, project: projection?.project });
        const shared = informer as unknown as Informer<KubeObject, unknown>;
        informers.set(id, shared);
        if (runSignal !== undefined) start(shared, runSignal);
      }
      if (!options.isOptional) required.add(informer as unknown as Informer<KubeObject, unknown>);
      if (indexes) informer.addIndexes(indexes);
      return informer;
    },
    async run(signal) {
      runSignal = signal;
      // Every informer and each of its connections listens for the abort: this many listeners are not a leak.
      setMaxListeners(0, signal);
      const failed = new Promise<never>((_, reject) => {
        fail = reject;
      });
      for (const informer of informers.values()) start(informer, signal);
      const stopped = whenAborted(signal);
      await Promise.race([stopped, failed]);
      await Promise.all(running);
    },
    all: () => [...informers.values()],
    async synced(signal) {
      if (signal) setMaxListeners(0, signal);
      await Promise.all(
        [...informers.values()].map((informer) =>
          required.has(informer) ? informer.synced(signal) : informer.settled(signal),
        ),
      );
    },
  };
}
