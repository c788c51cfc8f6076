import { LRUCache } from 'lru-cache';
import { type Clock, isJsonObject, orAborted } from '../base/index.ts';
import { type Discovery, isKubeError, type KubeConnection, type ResourceType } from '../kube/index.ts';
import { type KubeObject, parseApiVersion } from '../object/index.ts';
import { type Schema, schemaOfDefinition } from '../schema/index.ts';

const definitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** A definition is read again after this time: the API server, too, learns of changes a little later. */
const freshMs = 30_000;
/** Schemas may be large. */
const maxKnown = 100;

interface CustomSchemasOptions {
  readonly client: KubeConnection;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The schemas of custom kinds, as their definitions have them; null for kinds without a definition. */
export interface CustomSchemas {
  schemaOf(apiVersion: string, kind: string, signal: AbortSignal): Promise<Schema | null>;
}

interface Entry {
  readonly readAtMs: number;
  readonly schema: Promise<Schema | null>;
}

export function createCustomSchemas({ client, discovery, clock, timeoutMs }: CustomSchemasOptions): CustomSchemas {
  const known = new LRUCache<string, Entry>({ max: maxKnown });
  const read = async (apiVersion: string, kind: string): Promise<Schema | null> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const type = await discovery.byKind({ ...parseApiVersion(apiVersion), kind }, { signal });
    if (!type) return null;
    try {
      const name = `${type.resource}.${type.group}`;
      const definition = await client.get<KubeObject>(definitions, { name }, { signal });
      return (isJsonObject(definition) ? schemaOfDefinition(definition, type.version) : undefined) ?? null;
    } catch (thrown) {
      // An aggregated API, whose schema nobody tells.
      if (isKubeError(thrown, 'kube-not-found')) return null;
      throw thrown;
    }
  };
  return {
    schemaOf(apiVersion, kind, signal) {
      const key = `${apiVersion}/${kind}`;
      let entry = known.get(key);
      if (entry === undefined || clock.now() - entry.readAtMs > freshMs) {
        const schema = read(apiVersion, kind);
        entry = { readAtMs: clock.now(), schema };
        known.set(key, entry);
        // What failed is tried again by the next request.
        schema.catch(() => known.get(key)?.schema === schema && known.delete(key));
      }
      return orAborted(entry.schema, signal);
    },
  };
}
