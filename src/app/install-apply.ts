import { ownerLabel } from '../api/index.ts';
import { errorMessage, SupercargoError } from '../base/index.ts';
import type { Discovery } from '../kube/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  describeObject,
  type InstallationPlace,
  keyOf,
  listInstalled,
  type OnObjectAction,
  removeObject,
} from './install-objects.ts';

class InstallError extends SupercargoError {}

interface ApplyOptions extends InstallationPlace {
  readonly client: KubeClient;
  readonly discovery: Discovery;
  /** Takes over fields that other managers have changed. */
  readonly force: boolean;
  readonly onStep: OnObjectAction;
}

/**
 * Applies the manifests and removes what an earlier installation had in addition. An object of the same name that is
 * not ours is skipped and reported, and so is one of ours that another manager has changed.
 */
export async function applyManifests(objects: readonly KubeObject[], options: ApplyOptions): Promise<void> {
  const { onStep } = options;
  const changed: string[] = [];
  for (const object of objects) {
    const outcome = await applyOne(object, options);
    const what = describeObject(object);
    if (outcome === 'applied') onStep({ action: 'applied', object: what });
    else onStep({ action: 'kept', object: what, reason: outcome.reason });
    // The user may edit the configuration; any other skipped object leaves the installation incomplete.
    if (outcome !== 'applied' && outcome.isConflict && object.kind !== 'ConfigMap') changed.push(what);
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

async function applyOne(object: KubeObject, { client, discovery, force }: ApplyOptions): Promise<Outcome> {
  const type = await discovery.byKind(`${object.apiVersion}/${object.kind}`);
  if (!type) {
    if (optionalKinds.has(object.kind)) return { reason: 'the cluster does not serve this kind', isConflict: false };
    throw new InstallError('install-unknown-kind', `the cluster does not serve ${object.apiVersion} ${object.kind}`);
  }
  const owner = object.metadata.labels?.[ownerLabel];
  const present = await find(client, type, object);
  if (present && present.metadata.labels?.[ownerLabel] !== owner) {
    // The same kinds may exist already, mostly from Kyverno: these are kept.
    if (object.kind === 'Namespace' || object.kind === 'CustomResourceDefinition')
      return { reason: 'it was there before', isConflict: false };
    throw new InstallError(
      'install-foreign',
      `${describeObject(object)} exists and is not ours (label ${ownerLabel}: ${owner} is missing); rename or remove it, or choose another --installation`,
    );
  }
  try {
    // Definitions follow the program's version, whatever their last manager.
    await client.apply(type, object, {
      fieldManager: 'supercargo-install',
      force: force || object.kind === 'CustomResourceDefinition',
    });
    return 'applied';
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-conflict')) throw thrown;
    const fields = thrown.causes.map(({ field, message }) => `${field ?? ''} (${message})`).join(', ');
    return {
      reason: `others have changed it: ${fields || errorMessage(thrown)}; --force overwrites their changes`,
      isConflict: true,
    };
  }
}

/** Removed parts must not keep their permissions. A configuration may hold the user's settings and stays. */
async function removeFormer(objects: readonly KubeObject[], options: ApplyOptions): Promise<void> {
  const idOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
  const wanted = new Set(objects.map(idOf));
  for (const installed of await listInstalled(options.client, options)) {
    if (wanted.has(idOf(installed.object))) continue;
    const object = describeObject(installed.object);
    const reason = 'no longer part of the installation';
    if (installed.object.kind === 'ConfigMap') options.onStep({ action: 'kept', object, reason });
    else {
      await removeObject(options.client, installed);
      options.onStep({ action: 'removed', object, reason });
    }
  }
}

async function find(client: KubeClient, type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, keyOf(object));
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}
