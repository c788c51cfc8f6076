import { LRUCache } from 'lru-cache';
import { type Clock, type Logger, whenAborted } from '../base/index.ts';
import { createInformer, type Informer, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

interface ConfigMapKey {
  readonly namespace: string;
  readonly name: string;
}

/** ConfigMaps that policies name, each with its own watch, so that the other ConfigMaps of the cluster use no memory. */
export interface ConfigMaps {
  /** From its watch; undefined for one that must be read from the API server. */
  stored(key: ConfigMapKey): KubeObject | undefined;
  get(key: ConfigMapKey, signal: AbortSignal): Promise<KubeObject>;
  /** Watches until the signal aborts. While it is not running, every get is a request to the API server. */
  run(signal: AbortSignal): Promise<void>;
}

interface ConfigMapsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** The maximum number of watches; the least recently used one is stopped. */
  readonly maxWatched?: number;
}

interface Watched {
  readonly informer: Informer<KubeObject>;
  stop(): void;
}

export function createConfigMaps({ client, clock, log, maxWatched = 200 }: ConfigMapsOptions): ConfigMaps {
  const watched = new LRUCache<string, Watched>({ max: maxWatched, dispose: ({ stop }) => stop() });
  const running = new Set<Promise<void>>();
  let runSignal: AbortSignal | undefined;

  const watch = (namespace: string, name: string, signal: AbortSignal): void => {
    const stop = new AbortController();
    const fieldSelector = `metadata.name=${name}`;
    const informer = createInformer<KubeObject>({ client, type: configMapType, namespace, fieldSelector, clock, log });
    const work: Promise<void> = informer
      .run(AbortSignal.any([signal, stop.signal]))
      .finally(() => running.delete(work));
    running.add(work);
    watched.set(`${namespace}/${name}`, { informer, stop: () => stop.abort() });
  };

  const storedIn = (known: Watched | undefined, key: string) =>
    known?.informer.hasSynced ? known.informer.get(key) : undefined;

  return {
    stored({ namespace, name }) {
      const key = `${namespace}/${name}`;
      return storedIn(watched.get(key), key);
    },
    async get({ namespace, name }, signal) {
      const key = `${namespace}/${name}`;
      const known = watched.get(key);
      const stored = storedIn(known, key);
      if (stored) return stored;
      // The watch may be behind: read an object that it does not have from the server.
      const found = await client.get<KubeObject>(configMapType, { namespace, name }, { signal });
      if (!known && runSignal && !runSignal.aborted) watch(namespace, name, runSignal);
      return found;
    },
    async run(signal) {
      runSignal = signal;
      await whenAborted(signal);
      watched.clear();
      await Promise.all(running);
    },
  };
}
