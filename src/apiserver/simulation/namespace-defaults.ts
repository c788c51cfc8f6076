import { configMaps, namespaces, serviceAccounts } from './kinds.ts';
import { type Context, type Controller, splitKey } from './types.ts';
import { createIfAbsent } from './writes.ts';

const caName = 'kube-root-ca.crt';

/** Every namespace has a ServiceAccount `default` and the CA of the API server; deleted ones are created again. */
export function createNamespaceDefaultsController(context: Context): Controller {
  const { client, options } = context;

  const reconcile = async (key: string): Promise<undefined> => {
    const [, namespace] = splitKey(key);
    const found = client.get(namespaces, '', namespace);
    if (!found || found.metadata.deletionTimestamp) return;
    if (!client.get(serviceAccounts, namespace, 'default')) {
      await createIfAbsent(context, serviceAccounts, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      });
    }
    if (options.rootCa !== '' && !client.get(configMaps, namespace, caName)) {
      await createIfAbsent(context, configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: caName, namespace },
        data: { 'ca.crt': options.rootCa },
      });
    }
  };

  return {
    name: 'namespace-defaults',
    concurrency: 4,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(namespaces, ({ type, object }) => {
        if (type === 'ADDED') enqueue(`/${object.metadata.name}`);
      }),
      ...[serviceAccounts, configMaps].map((kind) =>
        client.watch(kind, ({ type, object }) => {
          const { name, namespace } = object.metadata;
          if (type === 'DELETED' && (name === 'default' || name === caName)) enqueue(`/${namespace}`);
        }),
      ),
    ],
  };
}
