import type { Pod } from 'kubernetes-types/core/v1.js';
import { findCondition, isTrue } from '../../object/index.ts';
import type { Live } from './types.ts';

export const isTerminating = ({ metadata }: { readonly metadata: { readonly deletionTimestamp?: string } }) =>
  metadata.deletionTimestamp !== undefined;

export const isFinished = ({ status }: Live<Pod>) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Counts towards its owner's replicas. */
export const isActive = (pod: Live<Pod>) => !isTerminating(pod) && !isFinished(pod);

export function isReady({ status }: Live<Pod>): boolean {
  return isTrue(status?.conditions, 'Ready');
}

/** Milliseconds until a ready pod counts as available: 0 when it does, undefined when it is not ready. */
function untilAvailableMs(pod: Live<Pod>, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime;
  return Math.max(0, Date.parse(since ?? '') + minReadySeconds * 1000 - now);
}

interface PodCounts {
  readonly ready: number;
  readonly available: number;
  /** When the next ready pod becomes available. */
  readonly comeBackMs?: number;
}

export function countPods(list: readonly Live<Pod>[], minReadySeconds: number, now: number): PodCounts {
  const waits = list.flatMap((pod) => untilAvailableMs(pod, minReadySeconds, now) ?? []);
  const pending = waits.filter((wait) => wait > 0);
  return {
    ready: waits.length,
    available: waits.length - pending.length,
    ...(pending.length > 0 ? { comeBackMs: Math.min(...pending) } : {}),
  };
}

/** Sorts the pods to remove first: without a node, not ready, then the youngest. */
export function byDispensability(a: Live<Pod>, b: Live<Pod>): number {
  const rank = (pod: Live<Pod>) => (!pod.spec.nodeName ? 0 : isReady(pod) ? 2 : 1);
  const age = (pod: Live<Pod>) => pod.metadata.creationTimestamp ?? '';
  return rank(a) - rank(b) || (age(a) < age(b) ? 1 : age(a) > age(b) ? -1 : 0);
}
