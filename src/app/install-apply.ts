import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, SupercargoError } from '../base/index.ts';
import type { Discovery } from '../kube/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { changesOf, keepConfigs } from './install-config.ts';
import {
  describeObject,
  type InstallationPlace,
  keyOf,
  listInstalled,
  type OnObjectAction,
  removeObject,
} from './install-objects.ts';
import { isRegistrationBinding, remainingOfManifests, removeFormerWebhooks } from './install-webhooks.ts';

class InstallError extends SupercargoError {}

interface ApplyOptions extends InstallationPlace {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Takes over fields that other managers have changed. */
  readonly force: boolean;
  /** Asks the API server, and stores nothing. */
  readonly dryRun?: boolean;
  readonly onStep: OnObjectAction;
}

/**
 * Applies the manifests and removes what an earlier installation had in addition. An object of the same name that is
 * not ours is skipped and reported, and so is one of ours that another manager has changed.
 */
export async function applyManifests(manifests: readonly KubeObject[], options: ApplyOptions): Promise<void> {
  const { onStep, client, force } = options;
  const changed: string[] = [];
  const { objects, kept } = await keepConfigs(manifests, async (object) => {
    const present = force ? undefined : await find(client, configMaps, object);
    return isOurs(present, object) ? present : undefined;
  });
  for (const object of objects) {
    const outcome = await applyOne(object, options);
    const what = describeObject(object);
    const changes = changesOf(kept, object);
    if (outcome === 'applied')
      onStep({
        action: 'applied',
        object: what,
        ...(changes ? { reason: `with the changes made to it: ${changes.join(', ')}; --force overwrites them` } : {}),
      });
    else onStep({ action: 'kept', object: what, reason: outcome.reason });
    // A skipped object leaves the installation incomplete.
    if (outcome !== 'applied' && outcome.isConflict) changed.push(what);
  }
  await removeFormer(objects, options);
  if (changed.length > 0)
    throw new InstallError(
      'install-conflict',
      `${changed.join(', ')}: not applied, because others have changed the same fields; --force takes them back`,
    );
}

/** API servers before 1.30 do not serve them; nothing else depends on them. */
const optionalKinds = new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);

type Outcome = 'applied' | { readonly reason: string; readonly isConflict: boolean };

async function applyOne(object: KubeObject, { client, discovery, force, dryRun }: ApplyOptions): Promise<Outcome> {
  const type = await discovery.byKind(`${object.apiVersion}/${object.kind}`);
  if (!type) {
    if (optionalKinds.has(object.kind)) return { reason: 'the cluster does not serve this kind', isConflict: false };
    throw new InstallError('install-unknown-kind', `the cluster does not serve ${object.apiVersion} ${object.kind}`);
  }
  const owner = object.metadata.labels?.[ownerLabel];
  const present = await find(client, type, object);
  if (present && !isOurs(present, object)) {
    // The same kinds may exist already, mostly from Kyverno: these are kept.
    if (object.kind === 'Namespace' || object.kind === 'CustomResourceDefinition')
      return { reason: 'it was there before', isConflict: false };
    throw new InstallError(
      'install-foreign',
      `${describeObject(object)} exists and is not ours (label ${ownerLabel}: ${owner} is missing); rename or remove it, or choose another --installation`,
    );
  }
  try {
    // Definitions follow the program's version, whatever their last manager; changed configurations are merged.
    await client.apply(type, object, {
      fieldManager: 'supercargo-install',
      force: force || object.kind === 'CustomResourceDefinition' || object.kind === 'ConfigMap',
      ...(dryRun ? { dryRun } : {}),
    });
    return 'applied';
  } catch (thrown) {
    // Its namespace would exist.
    if (dryRun && isKubeError(thrown, 'kube-not-found')) return 'applied';
    if (!isKubeError(thrown, 'kube-conflict')) throw thrown;
    const fields = thrown.causes.map(({ field, message }) => `${field ?? ''} (${message})`).join(', ');
    return {
      reason: `others have changed it: ${fields || errorMessage(thrown)}; --force overwrites their changes`,
      isConflict: true,
    };
  }
}

/**
 * Removed parts must not keep their permissions, and nothing may call a Service that is gone: webhooks first. A
 * configuration may hold the user's settings and stays.
 */
async function removeFormer(objects: readonly KubeObject[], options: ApplyOptions): Promise<void> {
  await removeFormerWebhooks({ dryRun: false, ...options }, remainingOfManifests(objects));
  const idOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
  const wanted = new Set(objects.map(idOf));
  for (const installed of await listInstalled(options.client, options)) {
    if (wanted.has(idOf(installed.object))) continue;
    // Already named: it was to be removed with the webhooks.
    if (options.dryRun && isRegistrationBinding(installed.object, options)) continue;
    const object = describeObject(installed.object);
    const reason = 'no longer part of the installation';
    if (installed.object.kind === 'ConfigMap') options.onStep({ action: 'kept', object, reason });
    else {
      if (!options.dryRun) await removeObject(options.client, installed);
      options.onStep({ action: 'removed', object, reason });
    }
  }
}

const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

const isOurs = (present: KubeObject | undefined, wanted: KubeObject) =>
  present?.metadata.labels?.[ownerLabel] === wanted.metadata.labels?.[ownerLabel];

async function find(client: KubeClient, type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, keyOf(object));
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}
