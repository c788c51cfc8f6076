import { rfc3339Micro } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

export const leaseType: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

interface LeaseSpec {
  /** Empty or absent: the lease has no holder. */
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

/** Reads a lease by a list of one, because a list response carries the API server's time. */
export async function readLease(
  client: Pick<KubeClient, 'list'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<{ readonly lease: Lease | undefined; readonly serverTimeMs: number | undefined }> {
  const fieldSelector = `metadata.name=${name}`;
  const { items, serverTimeMs } = await client.list<Lease>(leaseType, { namespace, fieldSelector, signal });
  return { lease: items[0], serverTimeMs };
}

/**
 * Time since the holder's last renewal, both by the API server's clock; undefined when the record has no renewal time.
 */
export function leaseAgeMs(lease: Lease | undefined, serverTimeMs: number): number | undefined {
  const renewedMs = Date.parse(lease?.spec?.renewTime ?? lease?.spec?.acquireTime ?? '');
  return Number.isNaN(renewedMs) ? undefined : serverTimeMs - renewedMs;
}

/** The server's `Date` has whole seconds, and the clocks of several API servers differ. */
const serverTimeErrorMs = 2_000;

/**
 * What a candidate knows of the record: its content, and until when, by the candidate's own monotonic clock, the holder
 * may act. That is the duration after the first read of the record, or less when the record was already old by the API
 * server's time. Clocks of other candidates do not matter.
 */
export interface Observation {
  readonly content: string;
  readonly holder: string;
  readonly untilMs: number;
}

interface ObservedAt {
  /** Monotonic, taken after the response arrived: a later start of the wait is safe. */
  readonly nowMs: number;
  /** The API server's time of the response; undefined when the server did not send it. */
  readonly serverTimeMs?: number | undefined;
  readonly defaultDurationMs: number;
}

/**
 * The observation after `lease` was read. Returns the old one when the record is the same, so that its time continues.
 */
export function observe(previous: Observation | undefined, lease: Lease, at: ObservedAt): Observation {
  const { holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions } = lease.spec ?? {};
  const content = JSON.stringify([holderIdentity, leaseDurationSeconds, acquireTime, renewTime, leaseTransitions]);
  if (previous?.content === content) return previous;
  const durationMs = leaseDurationSeconds ? leaseDurationSeconds * 1000 : at.defaultDurationMs;
  const ageMs = at.serverTimeMs === undefined ? undefined : leaseAgeMs(lease, at.serverTimeMs);
  const leftMs = ageMs === undefined ? durationMs : Math.min(durationMs, durationMs + serverTimeErrorMs - ageMs);
  return { content, holder: holderIdentity ?? '', untilMs: at.nowMs + leftMs };
}

/** Whether another candidate may still act as leader. Also true after the Lease object was deleted. */
export function isHeldByOther(
  observed: Observation | undefined,
  isOwn: (holder: string) => boolean,
  nowMs: number,
): boolean {
  if (!observed || observed.holder === '' || isOwn(observed.holder)) return false;
  return nowMs < observed.untilMs;
}

interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  /** The API server's time. Must differ from the previous claim, or other candidates see no renewal. */
  readonly timeMs: number;
}

/**
 * The record that takes or renews the lease. Keeps the fields that others wrote into the object, and its
 * resourceVersion.
 */
export function claimed(lease: Lease | undefined, claim: Claim): Lease {
  const time = rfc3339Micro(claim.timeMs);
  const before = lease?.spec ?? {};
  const isRenewal = before.holderIdentity === claim.identity;
  return {
    ...(lease ?? { metadata: { namespace: claim.namespace, name: claim.name } }),
    // Items of a list have no apiVersion and kind.
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
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

/** The record that releases the lease: the next candidate takes it without waiting. */
export function released(lease: Lease, timeMs: number): Lease {
  return {
    ...lease,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    spec: { ...lease.spec, holderIdentity: '', renewTime: rfc3339Micro(timeMs) },
  };
}
