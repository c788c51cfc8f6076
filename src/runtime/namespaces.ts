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

/** The labels of namespaces, for the namespace selectors of rules. */
export interface Namespaces {
  readonly hasSynced: boolean;
  /** From the informer; undefined for a namespace that it has not observed yet. */
  labels(name: string): Labels | undefined;
  /** Reads a namespace from the API server; no labels if it does not exist. */
  fetchLabels(name: string, signal: AbortSignal): Promise<Labels>;
}

export function createNamespaces({
  client,
  informers,
}: {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
}): Namespaces {
  const informer = informers.for<KubeObject, Labels>(namespaceType, {
    metadataOnly: true,
    projection: { name: 'labels', project: ({ metadata }) => metadata.labels ?? {} },
  });
  return {
    get hasSynced() {
      return informer.hasSynced;
    },
    labels: (name) => informer.get(name),
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
