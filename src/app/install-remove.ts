import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configurationTypes } from '../webhook/index.ts';
import {
  describeObject,
  type InstallationPlace,
  installedTypes,
  listInstalled,
  type OnObjectAction,
  removeObject,
} from './install-objects.ts';

interface RemoveOptions extends InstallationPlace {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly onStep: OnObjectAction;
}

/**
 * Removes what has the label of the installation and belongs to this namespace. Webhooks are removed first: otherwise
 * the API server would call a server that is gone. Definitions stay: deleting them would delete every policy of the
 * cluster.
 */
export async function removeInstallation(options: RemoveOptions): Promise<void> {
  const { client, installation, onStep } = options;
  await removeWebhooks(options);
  for (const installed of [...(await listInstalled(client, options)), ...(await listState(options))]) {
    await removeObject(client, installed);
    onStep({ action: 'removed', object: describeObject(installed.object) });
  }
  await removeNamespace(options);
  for (const definition of customResourceDefinitions(installation))
    onStep({ action: 'kept', object: describeObject(definition), reason: 'every policy or report would go with it' });
}

async function removeWebhooks({ client, installation, namespace, onStep }: RemoveOptions): Promise<void> {
  for (const type of Object.values(configurationTypes)) {
    const { items } = await client.list(type, { labelSelector: `${ownerLabel}=${installation}` });
    for (const object of items) {
      const elsewhere = namespacesOf(object).find((one) => one !== namespace);
      if (elsewhere === undefined) await removeObject(client, { type, object });
      onStep({
        object: describeObject(object),
        ...(elsewhere === undefined
          ? { action: 'removed' }
          : { action: 'kept', reason: `it belongs to the installation in namespace ${elsewhere}` }),
      });
    }
  }
}

/** The namespaces of the Services that a webhook configuration calls. */
function namespacesOf(configuration: KubeObject): readonly string[] {
  const webhooks = (configuration['webhooks'] ?? []) as readonly {
    readonly clientConfig?: { readonly service?: { readonly namespace?: string } };
  }[];
  return webhooks.flatMap(({ clientConfig }) => clientConfig?.service?.namespace ?? []);
}

/** What the program has written in its own namespace: certificates, checkpoints, outboxes. Not generated objects. */
async function listState({ client, installation, namespace }: RemoveOptions) {
  const labelSelector = `${ownerLabel}=${installation},!app.kubernetes.io/instance,!generate.kyverno.io/policy-name`;
  const types = installedTypes.filter(({ kind }) => kind === 'Secret' || kind === 'ConfigMap');
  const lists = await Promise.all(types.map((type) => client.list(type, { namespace, labelSelector })));
  return types.flatMap((type, index) => lists[index]!.items.map((object) => ({ type, object })));
}

const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

/** Deletes only a namespace that we created and that holds no other objects. */
async function removeNamespace(options: RemoveOptions): Promise<void> {
  const { client, namespace, installation, onStep } = options;
  const object = `namespace/${namespace}`;
  const present = await client.get<KubeObject>(namespaces, { name: namespace }).catch((thrown) => {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  });
  if (!present) return onStep({ action: 'absent', object });
  if (present.metadata.labels?.[ownerLabel] !== installation)
    return onStep({ action: 'kept', object, reason: 'it is not ours' });
  const others = await listOthers(options);
  if (others.length > 0) {
    const some = others.slice(0, 5).join(', ');
    const more = others.length > 5 ? ` and ${others.length - 5} more` : '';
    return onStep({ action: 'kept', object, reason: `it holds objects that are not ours: ${some}${more}` });
  }
  await removeObject(client, { type: namespaces, object: present });
  onStep({ action: 'removed', object });
}

/** Created by the control plane in every namespace, or ours by name: the program's Leases. */
const ignoredResources = new Set(['events', 'endpoints', 'endpointslices', 'leases', 'podmetrics']);
const ignoredObjects = new Set(['configmap/kube-root-ca.crt', 'serviceaccount/default']);

async function listOthers({ client, discovery, namespace, installation }: RemoveOptions): Promise<readonly string[]> {
  const types = (await discovery.list()).filter(
    ({ namespaced, verbs, isPreferredVersion, resource }) =>
      namespaced && isPreferredVersion && verbs.includes('list') && !ignoredResources.has(resource),
  );
  const found = new Set<string>();
  for (const type of types) {
    const { items } = await client.list(type, { namespace, metadataOnly: true });
    for (const { metadata } of items) {
      const name = `${type.kind.toLowerCase()}/${metadata.name}`;
      // Objects with an owner are garbage-collected: the pods of our Deployments, which are being removed.
      const isOurs = metadata.labels?.[ownerLabel] === installation || (metadata.ownerReferences ?? []).length > 0;
      if (!isOurs && metadata.deletionTimestamp === undefined && !ignoredObjects.has(name)) found.add(name);
    }
  }
  return [...found].sort();
}
