import type { KubeObject, ObjectMeta, OwnerReference } from './types.ts';

interface WithMetadata {
  readonly metadata: ObjectMeta;
}

/** `namespace/name`, or `name` where there is no namespace: a key for queues and caches of one kind. */
export function keyOf({ metadata }: WithMetadata): string {
  const { namespace, name = '' } = metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The owner that manages the object, if any. */
export function controllerOf({ metadata }: WithMetadata): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** By uid, not by name: a recreated owner does not control the objects of the deleted one. */
export function isControlledBy(object: WithMetadata, owner: WithMetadata): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

/**
 * A reference that makes `owner` the controller; the owner must have been stored, because the reference needs its uid.
 */
export function controllerReferenceTo(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
