import { randomInt } from 'node:crypto';
import type { Clock, Logger } from '../base/index.ts';
import { type KubeObject, parseApiVersion } from '../object/index.ts';
import { createAdmission } from './admission/chain.ts';
import { createClusterView } from './admission/cluster-view.ts';
import { createClusterWebhooks } from './admission/cluster-webhooks.ts';
import { createPolicies } from './admission/policy/index.ts';
import type { Core } from './operations/core.ts';
import { decode } from './operations/decode.ts';
import type { Catalog } from './resources/catalog.ts';
import { type LinkedSchemas, objectMetaDefinition } from './schema/index.ts';
import type { Store } from './store/index.ts';

interface CoreOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly schemas: LinkedSchemas;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Without vowels and digits that look like letters, so that no generated name spells a word. */
const suffixCharacters = 'bcdfghjklmnpqrstvwxz2456789';

/** The dependencies of the operations on objects. */
export function createCore({ store, catalog, schemas, clock, log }: CoreOptions): {
  readonly core: Core;
  close(): Promise<void>;
} {
  const objectMetaSchema = schemas.definition(objectMetaDefinition)!;
  const randomSuffix = () =>
    Array.from({ length: 5 }, () => suffixCharacters[Math.floor(Math.random() * suffixCharacters.length)]).join('');
  const view = createClusterView(store, catalog);
  const redecode = (object: KubeObject) => {
    const definition = catalog.findKind({ ...parseApiVersion(object.apiVersion), kind: object.kind });
    if (!definition) return object;
    return decode({ catalog, objectMetaSchema }, object, definition, { fieldValidation: 'Ignore', warnings: [] });
  };
  const webhooks = createClusterWebhooks(store, view, redecode);
  const namespace = (name: string) => store.collection('/namespaces').get(name);
  const core: Core = {
    store,
    catalog,
    clock,
    log,
    objectMetaSchema,
    randomSuffix,
    admission: createAdmission({ namespace, randomSuffix }, createPolicies(store, catalog, view, redecode), webhooks),
    strategyEnvironment: () => ({
      now: clock.now(),
      randomPort: () => 30_000 + randomInt(2768),
      allocateClusterIp: () => `10.96.${randomInt(1, 255)}.${randomInt(1, 255)}`,
    }),
  };
  return { core, close: () => webhooks.close() };
}
