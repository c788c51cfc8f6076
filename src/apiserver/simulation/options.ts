import { createHash } from 'node:crypto';

/** Binds a pod to a node: the API server's `binding` subresource, as nobody else may write `spec.nodeName`. */
export type BindPod = (namespace: string, name: string, node: string) => Promise<void>;

export interface SimulationOptions {
  /** How many nodes register themselves: `supercargo-node-1` and so on. With 0 no pod is scheduled or run. */
  readonly nodes: number;
  readonly kubeletVersion: string;
  /** From a pod's assignment to its containers running. */
  readonly podStartMs: number;
  /** From a deleted pod's request to its removal; the pod's own grace period is an upper limit. */
  readonly podStopMs: number;
  /** How long the pods of Jobs, and others that do not restart, run before they end. */
  readonly jobDurationMs: number;
  /** The first pause before a failed pod of a Job is replaced; each further one is twice as long. */
  readonly jobBackoffMs: number;
  /** Pod changes that arrive within this time cause one status update of their owner. */
  readonly debounceMs: number;
  readonly leaseRenewMs: number;
  /** How often events past their time are looked for. */
  readonly gcIntervalMs: number;
  readonly eventTtlMs: number;
  /** Whether events are written at all. */
  readonly events: boolean;
  /** Content of the ConfigMap `kube-root-ca.crt` in every namespace; none is written when empty. */
  readonly rootCa: string;
  /** What a pod's status says was pulled for an image; by default a digest made up from the reference. */
  readonly imageId: (image: string) => string;
  /** Pods are bound by an update of the whole object when absent. */
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
  imageId: madeUpImageId,
};

function madeUpImageId(image: string): string {
  if (image.includes('@')) return image;
  const repository = image.replace(/:[^:/]*$/, '');
  return `${repository}@sha256:${createHash('sha256').update(image).digest('hex')}`;
}
