import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

/** Identifies a policy by kind, namespace and name, because names repeat across kinds and namespaces. */
export interface PolicyRef {
  readonly key: string;
  /** For messages: the name of a ClusterPolicy, `Kind/name` or `Kind/namespace/name` of any other. */
  readonly label: string;
  readonly type: ResourceType;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** A policy that is not synced, with the reason. */
export interface Refusal {
  /** Undefined if the document does not identify a policy. */
  readonly ref?: PolicyRef;
  readonly label: string;
  readonly reason: string;
  readonly object?: KubeObject;
}

export function refOf(type: ResourceType, { metadata }: KubeObject): PolicyRef {
  const name = metadata.name ?? '';
  const namespace = type.namespaced ? metadata.namespace : undefined;
  const path = namespace === undefined ? name : `${namespace}/${name}`;
  return {
    key: `${type.kind}.${type.group}/${path}`,
    label: type.kind === 'ClusterPolicy' ? name : `${type.kind}/${path}`,
    type,
    name,
    namespace,
  };
}

/** Only policies with this annotation may be changed by a sync. */
export const ownerAnnotation = 'insights.fairwinds.com/owned-by';
export const ownerValue = 'Fairwinds Insights';

export function isOwned({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[ownerAnnotation] === ownerValue;
}
