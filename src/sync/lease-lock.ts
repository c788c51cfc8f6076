import { type Clock, isJsonObject, parseJson, rfc3339Micro } from '../base/index.ts';
import { type Lease, leaseAgeMs, leaseType as leases, readLease } from '../controller/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type SyncLock, SyncLockedError } from './lock.ts';
import { isRunning, type PodIdentity, type ProcessIdentity, parseProcess } from './process-identity.ts';

const lockName = 'kyverno-policy-sync-lock';

interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Unique for every sync. */
  readonly identity: string;
  readonly self: ProcessIdentity;
  /** Set in a cluster: this process then runs in the pod of its host name, if that exists. */
  readonly isInCluster: boolean;
  readonly timeoutMs: number;
  /** Only used if a server sends no `Date`. */
  readonly clock: Clock;
}

const pods: ResourceType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** The process of the holder. Valid only while it names the holder. */
const processAnnotation = 'supercargo.dev/sync-process';

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

/** The server's `Date` has a resolution of one second. */
const dateStepMs = 1_000;

/**
 * A lock on a Lease. All times in it are the API server's, read from the `Date` header and compared with the same, so
 * that no local clock matters. A holder that is known to have ended is not waited for: its process, if visible from
 * here, or its pod. Permission to read pods is optional: without it only the time counts.
 */
export function createLeaseLock(options: LeaseLockOptions): SyncLock {
  const { client, namespace, identity, timeoutMs, clock } = options;
  const where = `Lease ${namespace}/${lockName}`;

  const read = async (signal: AbortSignal) => {
    const { lease, serverTimeMs } = await readLease(client, { namespace, name: lockName }, signal);
    return { lease, nowMs: serverTimeMs ?? clock.now() };
  };
  const record = (lease: Lease | undefined, nowMs: number, process: ProcessIdentity): Lease => {
    const time = rfc3339Micro(nowMs);
    const isOurs = lease?.spec?.holderIdentity === identity;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...(lease?.metadata ?? { name: lockName, namespace }),
        annotations: {
          ...lease?.metadata.annotations,
          [processAnnotation]: JSON.stringify({ identity, ...process }),
        },
      },
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
  /** Since the holder's last renewal. A lock without a renew time would never expire, so it counts as old. */
  const ageOf = (lease: Lease | undefined, nowMs: number) => leaseAgeMs(lease, nowMs) ?? Number.POSITIVE_INFINITY;

  let self: ProcessIdentity | undefined;
  const findSelf = async (signal: AbortSignal): Promise<ProcessIdentity> => {
    const name = options.self.host;
    const pod = options.isInCluster ? await readPod(client, { namespace, name }, signal) : undefined;
    const uid = typeof pod === 'object' ? pod.metadata.uid : undefined;
    return uid === undefined ? options.self : { ...options.self, pod: { namespace, name, uid } };
  };
  const hasEnded = async (lease: Lease | undefined, own: ProcessIdentity, signal: AbortSignal): Promise<boolean> => {
    const holder = processOf(lease);
    if (holder === undefined) return false;
    const runs = isRunning(holder, own);
    if (runs !== undefined || holder.pod === undefined) return runs === false;
    return isPodGone(await readPod(client, holder.pod, signal), holder.pod);
  };

  return {
    async acquire(signal) {
      const own = await findSelf(signal);
      self = own;
      for (let attempt = 1; ; attempt++) {
        const { lease, nowMs } = await read(signal);
        const holder = holderOf(lease);
        const ageMs = ageOf(lease, nowMs);
        const isHeld = holder !== '' && holder !== identity && ageMs < timeoutMs + dateStepMs;
        if (isHeld && !(await hasEnded(lease, own, signal))) throw new SyncLockedError(holder, ageMs, where, timeoutMs);
        try {
          const next = record(lease, nowMs, own);
          // With the resourceVersion as a precondition: of several that take over at once, one succeeds.
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
      await client.replace(leases, record(lease, nowMs, self ?? options.self), { signal });
      return true;
    },
    async release(signal) {
      const { lease } = await read(signal);
      if (lease === undefined || holderOf(lease) !== identity) return;
      await client.replace(leases, { ...lease, spec: { ...lease.spec, holderIdentity: '' } }, { signal });
    },
  };
}

function processOf(lease: Lease | undefined): ProcessIdentity | undefined {
  try {
    const value = parseJson(lease?.metadata.annotations?.[processAnnotation] ?? '');
    const isHolder = isJsonObject(value) && value['identity'] === lease?.spec?.holderIdentity;
    return isHolder ? parseProcess(value) : undefined;
  } catch {
    return undefined;
  }
}

/** `absent` if the pod does not exist; undefined if that is unknown. */
async function readPod(
  client: KubeClient,
  { namespace, name }: Pick<PodIdentity, 'namespace' | 'name'>,
  signal: AbortSignal,
): Promise<Pod | 'absent' | undefined> {
  try {
    return await client.get<Pod>(pods, { namespace, name }, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    return isKubeError(thrown, 'kube-not-found') ? 'absent' : undefined;
  }
}

function isPodGone(pod: Pod | 'absent' | undefined, { uid }: PodIdentity): boolean {
  if (pod === undefined) return false;
  if (pod === 'absent' || pod.metadata.uid !== uid) return true;
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
