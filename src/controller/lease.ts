import { rfc3339Micro } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

export const leaseType: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

export interface LeaseSpec {
  /** Empty or absent: nobody holds it. */
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
  readonly [field: string]: unknown;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/**
 * What a candidate knows of the record: its content, and since when it has not changed by the candidate's own
 * monotonic clock. The times inside the record come from another machine and are only ever compared for equality.
 */
export interface Observation {
  readonly content: string;
  readonly holder: string;
  readonly durationMs: number;
  readonly sinceMs: number;
}

export interface ObservedAt {
  /** Monotonic, taken after the answer arrived: a later start of the wait is the safe side. */
  readonly nowMs: number;
  readonly defaultDurationMs: number;
}

/** The observation after reading `lease`: the old one when the record is the same, so that its time goes on. */
export function observe(previous: Observation | undefined, lease: Lease, at: ObservedAt): Observation {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  const content = JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
  if (previous?.content === content) return previous;
  return {
    content,
    holder: holderIdentity ?? '',
    durationMs: leaseDurationSeconds ? leaseDurationSeconds * 1000 : at.defaultDurationMs,
    sinceMs: at.nowMs,
  };
}

/** Whether somebody else may still act as the leader. Holds also when the Lease object has been deleted since. */
export function isHeldByOther(observed: Observation | undefined, identity: string, nowMs: number): boolean {
  if (!observed || observed.holder === '' || observed.holder === identity) return false;
  return nowMs - observed.sinceMs < observed.durationMs;
}

export interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  /** Wall time, for people; must differ from that of the claim before, or others see no renewal. */
  readonly timeMs: number;
}

/** The record that takes or renews the lease. Keeps what others wrote into the object, and its resourceVersion. */
export function claimed(lease: Lease | undefined, claim: Claim): Lease {
  const time = rfc3339Micro(claim.timeMs);
  const before = lease?.spec ?? {};
  const isRenewal = before.holderIdentity === claim.identity;
  return {
    ...(lease ?? {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: claim.namespace, name: claim.name },
    }),
    spec: {
      ...before,
      holderIdentity: claim.identity,
      leaseDurationSeconds: Math.ceil(claim.durationMs / 1000),
      acquireTime: isRenewal && before.acquireTime ? before.acquireTime : time,
      renewTime: time,
      leaseTransitions: (before.leaseTransitions ?? 0) + (lease && !isRenewal ? 1 : 0),
    },
  };
}

/** The record that gives the lease back: the next candidate that looks takes it without waiting. */
export function released(lease: Lease, timeMs: number): Lease {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', renewTime: rfc3339Micro(timeMs) } };
}
