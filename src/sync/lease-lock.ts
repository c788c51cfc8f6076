import { type Clock, rfc3339Micro } from '../base/index.ts';
import { type Lease, leaseAgeMs, leaseType as leases, readLease } from '../controller/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { type SyncLock, SyncLockedError } from './lock.ts';

export const lockName = 'kyverno-policy-sync-lock';

export interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Different for every process that ever ran. */
  readonly identity: string;
  readonly timeoutMs: number;
  /** Only where a server does not say what time it is. */
  readonly clock: Clock;
}

/** The server's `Date` counts whole seconds. */
const dateStepMs = 1_000;

/**
 * A lock that is a Lease. All times in it are the API server's, read from the `Date` of its answers and compared with
 * the same, so that no clock of a machine matters.
 */
export function createLeaseLock({ client, namespace, identity, timeoutMs, clock }: LeaseLockOptions): SyncLock {
  const where = `Lease ${namespace}/${lockName}`;

  const read = async (signal: AbortSignal) => {
    const { lease, serverTimeMs } = await readLease(client, { namespace, name: lockName }, signal);
    return { lease, nowMs: serverTimeMs ?? clock.now() };
  };
  const record = (lease: Lease | undefined, nowMs: number): Lease => {
    const time = rfc3339Micro(nowMs);
    const isOurs = lease?.spec?.holderIdentity === identity;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease?.metadata ?? { name: lockName, namespace },
      spec: {
        ...lease?.spec,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(timeoutMs / 1000),
        acquireTime: isOurs ? (lease.spec?.acquireTime ?? time) : time,
        renewTime: time,
        leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (isOurs || lease === undefined ? 0 : 1),
      },
    };
  };
  const holderOf = (lease: Lease | undefined) => lease?.spec?.holderIdentity ?? '';
  /** Since the holder's last sign; one without any never ends, so it counts as old. */
  const ageOf = (lease: Lease | undefined, nowMs: number) => leaseAgeMs(lease, nowMs) ?? Number.POSITIVE_INFINITY;

  return {
    async acquire(signal) {
      for (let attempt = 1; ; attempt++) {
        const { lease, nowMs } = await read(signal);
        const holder = holderOf(lease);
        const ageMs = ageOf(lease, nowMs);
        if (holder !== '' && holder !== identity && ageMs < timeoutMs + dateStepMs)
          throw new SyncLockedError(holder, ageMs, where, timeoutMs);
        try {
          const next = record(lease, nowMs);
          // Preconditioned by the version read: of several that take over at once, one succeeds.
          if (lease === undefined) await client.create(leases, next, { signal });
          else await client.replace(leases, next, { signal });
          return;
        } catch (thrown) {
          const isLate = isKubeError(thrown, 'kube-conflict') || isKubeError(thrown, 'kube-already-exists');
          if (!isLate || attempt === 3) throw thrown;
        }
      }
    },
    async renew(signal) {
      const { lease, nowMs } = await read(signal);
      if (holderOf(lease) !== identity) return false;
      await client.replace(leases, record(lease, nowMs), { signal });
      return true;
    },
    async release(signal) {
      const { lease } = await read(signal);
      if (lease === undefined || holderOf(lease) !== identity) return;
      await client.replace(leases, { ...lease, spec: { ...lease.spec, holderIdentity: '' } }, { signal });
    },
  };
}
