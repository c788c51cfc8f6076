import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { GroupVersionResource, KubeObject } from '../../object/index.ts';
import { storageClasses, volumeClaims, volumes } from './kinds.ts';
import { isTerminating } from './pod-state.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { createIfAbsent, modify, removeObject, writeStatus } from './writes.ts';

const protections: ReadonlySet<string> = new Set(['kubernetes.io/pvc-protection', 'kubernetes.io/pv-protection']);

/** Claims are bound at once to a volume created for them, which is removed with the claim. No data is stored. */
export function createVolumeClaimController(context: Context): Controller {
  const { client } = context;

  const reconcile = async (key: string): Promise<undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(volumeClaims, namespace, name);
    if (!found) return;
    const claim = live<PersistentVolumeClaim>(found);
    if (isTerminating(found)) return unprotect(volumeClaims, found);
    if (claim.status?.phase === 'Bound' || (claim.spec.volumeName && !isOurs(claim))) return;
    const wantedClass = claim.spec.storageClassName;
    if (wantedClass && !client.get(storageClasses, '', wantedClass)) return;
    await bind(claim);
  };

  const bind = async (claim: Live<PersistentVolumeClaim>) => {
    const { metadata, spec } = claim;
    const volumeName = volumeNameOf(claim);
    const capacity = { storage: spec.resources?.requests?.['storage'] ?? '1Gi' };
    const { accessModes = [] } = spec;
    const claimRef = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      uid: metadata.uid,
    };
    await createIfAbsent(context, volumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: volumeName, annotations: { 'supercargo.dev/simulated': 'true' } },
      spec: {
        accessModes,
        capacity,
        claimRef,
        hostPath: { path: `/simulated/${volumeName}` },
        persistentVolumeReclaimPolicy: 'Delete',
        ...(spec.storageClassName ? { storageClassName: spec.storageClassName } : {}),
        ...(spec.volumeMode ? { volumeMode: spec.volumeMode } : {}),
      },
    });
    await writeStatus(context, { type: volumes, namespace: '', name: volumeName }, () => ({ phase: 'Bound' }));
    const place = { type: volumeClaims, namespace: metadata.namespace ?? '', name: metadata.name };
    await modify(context, place, (object) => ({
      ...object,
      spec: { ...live<PersistentVolumeClaim>(object).spec, volumeName },
    }));
    await writeStatus(context, place, () => ({ phase: 'Bound', accessModes, capacity }));
  };

  const unprotect = async (type: GroupVersionResource, object: KubeObject): Promise<undefined> => {
    const { namespace = '', name = '' } = object.metadata;
    await modify(context, { type, namespace, name }, (current) => {
      const finalizers = (current.metadata.finalizers ?? []).filter((one) => !protections.has(one));
      if (finalizers.length === (current.metadata.finalizers ?? []).length) return undefined;
      return { ...current, metadata: { ...current.metadata, finalizers } };
    });
  };

  // Volumes of deleted claims have their own form of key, because the claim no longer exists.
  const release = async (key: string): Promise<undefined> => {
    const volume = client.get(volumes, '', key.slice(1));
    if (!volume) return;
    if (!isTerminating(volume)) await removeObject(context, volumes, volume);
    const left = client.get(volumes, '', key.slice(1));
    if (left) await unprotect(volumes, left);
  };

  return {
    name: 'volume-binder',
    concurrency: 2,
    reconcile: (key) => (key.startsWith('/') ? release(key) : reconcile(key)),
    subscribe: (enqueue) => [
      client.watch(volumeClaims, ({ type, object }) => {
        if (type !== 'DELETED') return enqueue(keyOf(object));
        const claim = live<PersistentVolumeClaim>(object);
        if (isOurs(claim)) enqueue(`/${volumeNameOf(claim)}`);
      }),
      client.watch(storageClasses, ({ type }) => {
        if (type !== 'ADDED') return;
        for (const claim of client.list(volumeClaims)) enqueue(keyOf(claim));
      }),
    ],
  };
}

const volumeNameOf = ({ metadata }: Live<PersistentVolumeClaim>) => `pvc-${metadata.uid}`;
const isOurs = (claim: Live<PersistentVolumeClaim>) => claim.spec.volumeName === volumeNameOf(claim);
