import { ownerLabel } from '../api/index.ts';
import { type Clock, type Logger, retry } from '../base/index.ts';
import { createInformer, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { type CronJob, idLabel, type Job, reportedAnnotation, reportedTtlSeconds } from './manifest.ts';
import { type JobOutcome, outcomeOf } from './outcome.ts';

interface ClusterJobsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Our Jobs in the cluster: creates, watches and deletes them. */
export interface ClusterJobs {
  /** Watches all our Jobs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** The existing Jobs, once the first list is complete. */
  existing(signal: AbortSignal): Promise<readonly Job[]>;
  /** How long a Job has been running, by the server's clock at the first list. */
  ranForMs(job: Job): number;
  findCronJob(name: string, signal: AbortSignal): Promise<CronJob | undefined>;
  create(job: Job, signal: AbortSignal): Promise<void>;
  resume(name: string, signal: AbortSignal): Promise<void>;
  /** Resolves when the Job has ended, is deleted, or the time is over. */
  ended(name: string, timeoutMs: number, signal: AbortSignal): Promise<JobOutcome>;
  delete(name: string, signal: AbortSignal): Promise<void>;
  /** Records that Insights has the outcome, and sets the TTL of the Job. */
  markReported(name: string, status: string, signal: AbortSignal): Promise<void>;
}

const batch = { group: 'batch', version: 'v1', namespaced: true } as const;
const jobs: ResourceType = { ...batch, resource: 'jobs', kind: 'Job' };
const cronJobs: ResourceType = { ...batch, resource: 'cronjobs', kind: 'CronJob' };

export function createClusterJobs(options: ClusterJobsOptions): ClusterJobs {
  const { client, namespace, installation, clock, random, log } = options;
  const informer = createInformer<Job>({
    client,
    type: jobs,
    namespace,
    labelSelector: `${ownerLabel}=${installation},${idLabel}`,
    clock,
    random,
    log,
  });
  const listeners = new Map<string, (job: Job | undefined) => void>();
  const notify = (job: Job | undefined, name: string | undefined) => listeners.get(name ?? '')?.(job);
  informer.addHandler({
    onAdd: ({ object }) => notify(object, object?.metadata.name),
    onUpdate: ({ object }) => notify(object, object.metadata.name),
    onDelete: ({ key }) => notify(undefined, key.slice(key.indexOf('/') + 1)),
  });
  // A short outage of the server must not lose a job that was claimed from Insights.
  const persistently = <T>(signal: AbortSignal, work: () => Promise<T>) =>
    retry(work, { attempts: 5, baseMs: 500, maxMs: 10_000, random, clock, signal });
  const key = (name: string) => ({ namespace, name });

  return {
    run: (signal) => informer.run(signal),
    async existing(signal) {
      await informer.synced(signal);
      return informer.list();
    },
    ranForMs({ status }) {
      const startMs = Date.parse(status?.startTime ?? '');
      const nowMs = informer.listedAtServerMs;
      return Number.isNaN(startMs) || nowMs === undefined ? 0 : Math.max(0, nowMs - startMs);
    },
    findCronJob: (name, signal) =>
      persistently(signal, async () => {
        try {
          return await client.get<CronJob>(cronJobs, key(name), { signal });
        } catch (thrown) {
          if (isKubeError(thrown, 'kube-not-found')) return undefined;
          throw thrown;
        }
      }),
    async create(job, signal) {
      await persistently(signal, async () => {
        try {
          await client.create(jobs, job, { signal });
        } catch (thrown) {
          // The name is unique to this job: an earlier attempt whose response was lost has created it.
          if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
        }
      });
    },
    async resume(name, signal) {
      const body = { spec: { suspend: false } };
      await persistently(signal, () => client.patch(jobs, key(name), { type: 'merge', body }, { signal }));
    },
    ended(name, timeoutMs, signal) {
      return new Promise((resolve, reject) => {
        const finish = (act: () => void) => {
          cancel();
          listeners.delete(name);
          signal.removeEventListener('abort', onAbort);
          act();
        };
        const onAbort = () => finish(() => reject(signal.reason));
        const look = (job: Job | undefined) => {
          const outcome = job === undefined ? gone : outcomeOf(job);
          if (outcome !== undefined) finish(() => resolve(outcome));
        };
        const cancel = clock.after(Math.max(0, timeoutMs), () => finish(() => resolve(timedOut)));
        if (signal.aborted) return onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        listeners.set(name, look);
        const known = informer.get(`${namespace}/${name}`);
        if (known !== undefined) look(known);
      });
    },
    async delete(name, signal) {
      await persistently(signal, async () => {
        try {
          await client.delete(jobs, key(name), { propagationPolicy: 'Background', signal });
        } catch (thrown) {
          if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
        }
      });
    },
    async markReported(name, status, signal) {
      const body = {
        metadata: { annotations: { [reportedAnnotation]: status } },
        spec: { ttlSecondsAfterFinished: reportedTtlSeconds },
      };
      try {
        await persistently(signal, () => client.patch(jobs, key(name), { type: 'merge', body }, { signal }));
      } catch (thrown) {
        if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      }
    },
  };
}

const gone: JobOutcome = { status: 'failed', reason: 'the Job was deleted before it ended' };
const timedOut: JobOutcome = { status: 'failed', reason: 'it did not end in time', isTimeout: true };
