import { type InformerFactory, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

type Labels = Readonly<Record<string, string>>;

interface Stored {
  readonly labels: Labels;
  readonly version: string;
}

/** The labels of namespaces, for the namespace selectors of rules. */
export interface Namespaces {
  readonly hasSynced: boolean;
  /** From the informer; undefined for a namespace that it has not observed yet. */
  labels(name: string): Labels | undefined;
  /** Reads a namespace from the API server; no labels if it does not exist. */
  fetchLabels(name: string, signal: AbortSignal): Promise<Labels>;
}

export interface WatchedNamespaces extends Namespaces {
  /** The resourceVersion in the informer. */
  version(name: string): string | undefined;
}

export function createNamespaces({
  client,
  informers,
}: {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
}): WatchedNamespaces {
  const informer = informers.for<KubeObject, Stored>(namespaceType, {
    metadataOnly: true,
    projection: {
      name: 'labels',
      project: ({ metadata: { labels = {}, resourceVersion = '' } }) => ({ labels, version: resourceVersion }),
    },
  });
  return {
    get hasSynced() {
      return informer.hasSynced;
    },
    labels: (name) => informer.get(name)?.labels,
    version: (name) => informer.get(name)?.version,
    async fetchLabels(name, signal) {
      try {
        return (await client.get<KubeObject>(namespaceType, { name }, { signal })).metadata.labels ?? {};
      } catch (thrown) {
        if (isKubeError(thrown, 'kube-not-found')) return {};
        throw thrown;
      }
    },
  };
}
