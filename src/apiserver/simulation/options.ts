import { createHash } from 'node:crypto';

/** Binds a pod to a node: the API server's `binding` subresource, the only way to write `spec.nodeName`. */
type BindPod = (namespace: string, name: string, node: string) => Promise<void>;

export interface SimulationOptions {
  /** Number of nodes: `supercargo-node-1` and so on. With 0 no pod is scheduled or run. */
  readonly nodes: number;
  readonly kubeletVersion: string;
  /** Time from a pod's assignment to its running containers. */
  readonly podStartMs: number;
  /** Time from a pod's deletion request to its removal; the pod's own grace period is the upper limit. */
  readonly podStopMs: number;
  /** Run time of pods of Jobs, and of others that do not restart. */
  readonly jobDurationMs: number;
  /** Initial backoff before a failed pod of a Job is replaced; it doubles each time. */
  readonly jobBackoffMs: number;
  /** Pod changes within this time cause one status update of their owner. */
  readonly debounceMs: number;
  readonly leaseRenewMs: number;
  /** Interval of the removal of expired events. */
  readonly gcIntervalMs: number;
  readonly eventTtlMs: number;
  /** Whether events are written. */
  readonly events: boolean;
  /** Content of the ConfigMap `kube-root-ca.crt` in every namespace; none is written when empty. */
  readonly rootCa: string;
  /** The imageID in a pod's status; a digest is derived from the reference where it is undefined. */
  readonly imageId: (image: string) => string | undefined;
  /** When absent, pods are bound by an update of the whole object. */
  readonly bindPod?: BindPod;
}

export const defaultSimulationOptions: SimulationOptions = {
  nodes: 1,
  kubeletVersion: 'v1.36.3',
  podStartMs: 100,
  podStopMs: 100,
  jobDurationMs: 1000,
  jobBackoffMs: 1000,
  debounceMs: 20,
  leaseRenewMs: 30_000,
  gcIntervalMs: 60_000,
  eventTtlMs: 60 * 60 * 1000,
  events: true,
  rootCa: '',
  imageId: () => undefined,
};

export function madeUpImageId(image: string): string {
  if (image.includes('@')) return image;
  const repository = image.replace(/:[^:/]*$/, '');
  return `${repository}@sha256:${createHash('sha256').update(image).digest('hex')}`;
}
