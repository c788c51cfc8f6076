import { LRUCache } from 'lru-cache';
import type { KubeConnection, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { shownNamespace } from '../policy/index.ts';

const namespaceType: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

interface NamespaceObjectsOptions {
  readonly client: Pick<KubeConnection, 'list'>;
  /** The version that a watch has of a namespace: what was read in that version is not read again. */
  readonly versionOf?: ((name: string) => string | undefined) | undefined;
  /** Of all namespaces that are kept, as JSON: annotations are as large as their authors like. */
  readonly maxBytes?: number;
}

/** Whole Namespaces, for the expressions that read more than labels. Null for one that does not exist. */
interface NamespaceObjects {
  /** In the version that the watch has; undefined for one that must be read from the API server. */
  stored(name: string): unknown;
  get(name: string, signal: AbortSignal): Promise<unknown>;
}

interface Entry {
  readonly version: string;
  readonly value: unknown;
  readonly bytes: number;
}

export function createNamespaceObjects(options: NamespaceObjectsOptions): NamespaceObjects {
  const { client, versionOf = () => undefined, maxBytes = 8 << 20 } = options;
  const kept = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  const stored = (name: string): unknown => {
    const known = kept.get(name);
    return known && known.version === versionOf(name) ? known.value : undefined;
  };
  const get = async (name: string, signal: AbortSignal): Promise<unknown> => {
    const known = stored(name);
    if (known !== undefined) return known;
    // A list: whoever evaluates policies may list namespaces, and not always get one.
    const { items } = await client.list<KubeObject>(namespaceType, { fieldSelector: `metadata.name=${name}`, signal });
    const found = items.find(({ metadata }) => metadata.name === name);
    if (!found) return null;
    const value = shownNamespace(found);
    const version = found.metadata.resourceVersion ?? '';
    if (versionOf(name) !== undefined) kept.set(name, { version, value, bytes: JSON.stringify(value).length });
    return value;
  };
  return { stored, get };
}
