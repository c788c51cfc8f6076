import type { GroupVersionResource, KubeObject, OwnerReference } from '../../object/index.ts';
import type { InternalClient } from '../internal-client.ts';

/** Objects of one kind by the uid of their controller and by namespace, maintained by a watch. */
export interface OwnedIndex {
  ownedBy(uid: string): readonly KubeObject[];
  countOwnedBy(uid: string): number;
  inNamespace(namespace: string): readonly KubeObject[];
  stop(): void;
}

export function createOwnedIndex(client: InternalClient, type: GroupVersionResource): OwnedIndex {
  const byOwner = new Map<string, Map<string, KubeObject>>();
  const byNamespace = new Map<string, Map<string, KubeObject>>();

  const stop = client.watch(type, ({ type: change, object, previous }) => {
    const uid = object.metadata.uid ?? '';
    const namespace = object.metadata.namespace ?? '';
    const owner = controllerOf(object)?.uid;
    const ownerBefore = previous && controllerOf(previous)?.uid;
    if (ownerBefore !== undefined && ownerBefore !== owner) remove(byOwner, ownerBefore, uid);
    if (change === 'DELETED') {
      if (owner !== undefined) remove(byOwner, owner, uid);
      remove(byNamespace, namespace, uid);
      return;
    }
    if (owner !== undefined) put(byOwner, owner, uid, object);
    put(byNamespace, namespace, uid, object);
  });

  return {
    ownedBy: (uid) => [...(byOwner.get(uid)?.values() ?? [])],
    countOwnedBy: (uid) => byOwner.get(uid)?.size ?? 0,
    inNamespace: (namespace) => [...(byNamespace.get(namespace)?.values() ?? [])],
    stop,
  };
}

export function controllerOf(object: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller);
}

function put(map: Map<string, Map<string, KubeObject>>, key: string, uid: string, object: KubeObject) {
  const known = map.get(key);
  if (known) known.set(uid, object);
  else map.set(key, new Map([[uid, object]]));
}

function remove(map: Map<string, Map<string, KubeObject>>, key: string, uid: string) {
  const known = map.get(key);
  if (known?.delete(uid) && known.size === 0) map.delete(key);
}
