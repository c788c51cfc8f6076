import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { type Discovery, isKubeError, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { crds } from './definitions.ts';
import {
  describeObject,
  type InstalledObject,
  installedTypes,
  listInstalled,
  removeObject,
} from './install-objects.ts';
import { isRegistrationBinding, type RemoveWebhooksOptions, removeWebhooks } from './install-webhooks.ts';

interface RemoveOptions extends RemoveWebhooksOptions {
  readonly discovery: Discovery;
  /** Removes these definitions too, and with them every object of their kinds. */
  readonly definitions?: readonly KubeObject[];
}

/** `supercargo up` and `run` keep their state in a namespace where nothing is installed. */
const outside = 'nothing is installed here: a program outside the cluster may use it; if none runs, delete it';

/**
 * Removes what has the label of the installation and belongs to this namespace. Webhooks are removed first: otherwise
 * the API server would call a server that is gone. Definitions stay unless they are given: with them every policy of the
 * cluster is deleted.
 */
export async function removeInstallation(options: RemoveOptions): Promise<void> {
  const { client, installation, onStep } = options;
  const isInstalled = (await listInstalled(client, options)).length > 0;
  await removeWebhooks(options);
  const state = await listState(options);
  if (!isInstalled)
    for (const { object } of state) onStep({ action: 'kept', object: describeObject(object), reason: outside });
  for (const installed of [...(await listInstalled(client, options)), ...(isInstalled ? state : [])]) {
    // Already named: they were to be removed with the webhooks.
    if (options.dryRun && isRegistrationBinding(installed.object, options)) continue;
    await remove(options, installed);
    onStep({ action: 'removed', object: describeObject(installed.object) });
  }
  const removed = new Set<string>();
  for (const object of options.definitions ?? []) {
    await remove(options, { type: crds, object });
    removed.add(describeObject(object));
    onStep({ action: 'removed', object: describeObject(object) });
  }
  await removeNamespace(options);
  for (const definition of customResourceDefinitions(installation)) {
    const object = describeObject(definition);
    if (removed.has(object)) continue;
    const reason = options.definitions ? 'it is not ours' : 'every policy or report would go with it';
    onStep({ action: 'kept', object, reason });
  }
}

async function remove({ client, dryRun }: RemoveOptions, installed: InstalledObject): Promise<void> {
  if (!dryRun) await removeObject(client, installed);
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
  await remove(options, { type: namespaces, object: present });
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
