import type { Logger } from '../base/index.ts';
import { createInformer, type Informer, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { hashText, isSameHash, type TextHash } from './text-hash.ts';

const type = (group: string, resource: string, kind: string, namespaced: boolean): ResourceType => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced,
});
const namespaces = type('', 'namespaces', 'Namespace', false);
const configMaps = type('', 'configmaps', 'ConfigMap', true);
const definitions = type('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', false);

/** What results depend on besides policies and the objects themselves. */
export interface ClusterFacts {
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
  /** Empty for a ConfigMap that does not exist; undefined until the watch has synced. */
  configMapVersion(key: string): string | undefined;
  /** Starts the watch on the first call. */
  followConfigMaps(): void;
  synced(signal: AbortSignal): Promise<void>;
  stopped(): Promise<void>;
}

interface NamespaceFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: TextHash;
}

interface ClusterFactsOptions {
  readonly client: KubeClient;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** A namespace was added, or its labels or annotations changed. */
  readonly onNamespace: (namespace: string) => void;
  readonly onConfigMap: (key: string, version: string) => void;
  readonly onConfigMapsSynced: () => void;
  /** Custom resource definitions were added, changed or removed. */
  readonly onDefinitions: () => void;
}

export function startClusterFacts(options: ClusterFactsOptions): ClusterFacts {
  const { client, log, signal } = options;
  const running: Promise<void>[] = [];
  const follow = <S>(of: ResourceType, project: (object: KubeObject) => S): Informer<KubeObject, S> => {
    const informer = createInformer<KubeObject, S>({ client, type: of, metadataOnly: true, log, project });
    running.push(informer.run(signal));
    return informer;
  };

  const labels = follow(namespaces, ({ metadata: { labels = {}, annotations = {} } }) => ({
    labels,
    // Only to see that they changed: they may be large.
    annotations: hashText(JSON.stringify(annotations)),
  }));
  labels.addHandler({
    onAdd: ({ key, isInitial }) => !isInitial && options.onNamespace(key),
    onUpdate: ({ key, stored, previous }) => !isSame(stored, previous) && options.onNamespace(key),
  });
  const crds = follow(definitions, ({ metadata }) => metadata.generation ?? 0);
  crds.addHandler({
    onAdd: ({ isInitial }) => !isInitial && options.onDefinitions(),
    // Also for status changes: a definition is served some time after it was created.
    onUpdate: () => options.onDefinitions(),
    onDelete: () => options.onDefinitions(),
  });
  let maps: Informer<KubeObject, string> | undefined;

  return {
    namespaceLabels: (namespace) => labels.get(namespace)?.labels,
    configMapVersion: (key) => (maps?.hasSynced ? (maps.get(key) ?? '') : undefined),
    followConfigMaps() {
      if (maps) return;
      maps = follow(configMaps, ({ metadata }) => metadata.resourceVersion ?? '');
      maps.addHandler({
        onAdd: ({ key, stored }) => options.onConfigMap(key, stored),
        onUpdate: ({ key, stored }) => options.onConfigMap(key, stored),
        onDelete: ({ key }) => options.onConfigMap(key, ''),
      });
      maps.synced(signal).then(options.onConfigMapsSynced, () => {
        // Stopped before the first list was complete.
      });
    },
    synced: (until) => labels.synced(until),
    async stopped() {
      await Promise.all(running);
    },
  };
}

const isSame = (a: NamespaceFacts, b: NamespaceFacts): boolean =>
  isEqual(a.labels, b.labels) && isSameHash(a.annotations, b.annotations);

function isEqual(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
