import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { type Clock, SupercargoError } from '../base/index.ts';
import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configurationTypes, installedInAnnotation } from '../webhook/index.ts';
import { crds } from './definitions.ts';
import {
  describeObject,
  type InstallationPlace,
  type InstalledObject,
  installedTypes,
  listInstalled,
  type OnObjectAction,
  removeObject,
} from './install-objects.ts';

interface RemoveOptions extends InstallationPlace {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Says what it would do, and does nothing. */
  readonly dryRun: boolean;
  /** Removes these definitions too, and with them every object of their kinds. */
  readonly definitions?: readonly KubeObject[];
  readonly onStep: OnObjectAction;
}

class RemoveError extends SupercargoError {}

/** `supercargo up` and `run` keep their state in a namespace where nothing is installed. */
const outside = 'nothing is installed here: a program outside the cluster may use it; if none runs, delete it';

/** A replica that still runs registers a missing webhook at once: in this time it would be seen. */
const quietMs = 1_000;
const pollMs = 100;
const revokeTimeoutMs = 60_000;

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
    if (options.dryRun && installed.type.kind === 'ClusterRoleBinding') continue;
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

/**
 * Removes the webhooks so that they stay away while replicas still run and answer: these lose the rights to register
 * them first.
 */
export async function removeWebhooks(options: Omit<RemoveOptions, 'discovery'>): Promise<void> {
  const { client, clock, onStep } = options;
  const bindings = installedTypes.filter(({ kind }) => kind === 'ClusterRoleBinding');
  for (const installed of await listInstalled(client, options, bindings)) {
    if (runsUninstall(installed.object)) continue;
    await remove(options, installed);
    onStep({ action: 'removed', object: describeObject(installed.object) });
  }
  const startedMs = clock.monotonicMs();
  let lastMs = startedMs;
  const kept = new Set<string>();
  while (clock.monotonicMs() - lastMs < quietMs) {
    if (await removeWebhooksOnce(options, kept)) lastMs = clock.monotonicMs();
    if (options.dryRun) return;
    if (lastMs - startedMs > revokeTimeoutMs)
      throw new RemoveError(
        'uninstall-webhooks',
        'the webhooks are registered again and again: stop the program that does it, then try again',
      );
    await clock.sleep(pollMs);
  }
}

async function remove({ client, dryRun }: Omit<RemoveOptions, 'discovery'>, installed: InstalledObject): Promise<void> {
  if (!dryRun) await removeObject(client, installed);
}

/** The binding of the process that does this in a cluster (the hook of the Helm chart). */
const runsUninstall = ({ metadata }: KubeObject) => metadata.name?.endsWith(':uninstall') === true;

/** True if one was removed. */
async function removeWebhooksOnce(options: Omit<RemoveOptions, 'discovery'>, kept: Set<string>): Promise<boolean> {
  const { client, installation, namespace, onStep } = options;
  let hasRemoved = false;
  for (const type of Object.values(configurationTypes)) {
    const { items } = await client.list(type, { labelSelector: `${ownerLabel}=${installation}` });
    for (const object of items) {
      const name = describeObject(object);
      const owners = namespacesOf(object);
      if (owners.length > 0 && owners.every((one) => one === namespace)) {
        await remove(options, { type, object }).catch((thrown) => {
          // Somebody else was faster.
          if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
        });
        hasRemoved = true;
        onStep({ action: 'removed', object: name });
      } else if (!kept.has(name)) {
        kept.add(name);
        onStep({
          action: 'kept',
          object: name,
          reason:
            owners.length > 0
              ? `it belongs to the installation in namespace ${owners.find((one) => one !== namespace)}`
              : 'a program outside the cluster registered it, and removes it when it stops; if none runs, delete it',
        });
      }
    }
  }
  return hasRemoved;
}

/**
 * The namespaces of the installations that a webhook configuration belongs to: of the Services that it calls, or else
 * what the program noted. None for a program that runs outside the cluster.
 */
function namespacesOf(configuration: KubeObject): readonly string[] {
  const webhooks = (configuration['webhooks'] ?? []) as readonly {
    readonly clientConfig?: { readonly service?: { readonly namespace?: string } };
  }[];
  const called = webhooks.flatMap(({ clientConfig }) => clientConfig?.service?.namespace ?? []);
  const noted = configuration.metadata.annotations?.[installedInAnnotation];
  return called.length > 0 || noted === undefined ? called : [noted];
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
