import type { Job, JobCondition, JobStatus } from 'kubernetes-types/batch/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { rfc3339 } from '../../base/index.ts';
import { findCondition, type KubeObject, withCondition } from '../../object/index.ts';
import {
  concludeJob,
  conclusionConditions,
  finishedCondition,
  indexKey,
  indexOf,
  type JobConclusion,
  type JobTally,
  renderIndexes,
  tallyJob,
} from './job-status.ts';
import { jobs, pods as podType } from './kinds.ts';
import { nonZero } from './non-zero.ts';
import { controllerOf, type OwnedIndex } from './owned-index.ts';
import { isTerminating } from './pod-state.ts';
import { createPods, deletePods, podFromTemplate } from './pod-template.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { removeObject, writeStatus } from './writes.ts';

const component = 'job-controller';

/** Jobs run pods until enough of them have succeeded, or too many have failed. */
export function createJobController(context: Context, pods: OwnedIndex): Controller {
  const { client, clock, events, options } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(jobs, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const job = live<Job>(found);
    const over = finishedCondition(job);
    if (over) return expire(job, over);
    const tally = tallyJob(job, podsOf(job));
    const conclusion = concludeJob(job, tally, clock.now());
    const waitMs = conclusion ? 0 : retryWaitMs(job, tally);
    try {
      if (conclusion || job.spec.suspend) await deletePods(context, writesOf(job), tally.active);
      else if (waitMs === 0) await adjust(job, tally);
    } finally {
      await update(job, conclusion);
    }
    if (conclusion) report(job, conclusion);
    return comeBackMs(job, waitMs);
  };

  const podsOf = (job: Live<Job>) => pods.ownedBy(job.metadata.uid).map((pod) => live<Pod>(pod));
  const writesOf = ({ metadata }: Live<Job>) => ({
    owner: { apiVersion: 'batch/v1', kind: 'Job', metadata },
    component,
  });

  const adjust = async (job: Live<Job>, tally: JobTally) => {
    const parallelism = job.spec.parallelism ?? 1;
    const { completions } = job.spec;
    const left = completions === undefined ? (tally.succeeded > 0 ? 0 : parallelism) : completions - tally.succeeded;
    const wanted = Math.max(0, Math.min(parallelism, left));
    const missing = wanted - tally.active.length;
    if (missing < 0 && completions !== undefined) {
      await deletePods(context, writesOf(job), tally.active.slice(missing));
    } else if (missing > 0) {
      await createPods(context, writesOf(job), draftPods(job, tally, missing));
    }
  };

  const update = async (job: Live<Job>, conclusion: JobConclusion | undefined) => {
    const place = { type: jobs, namespace: job.metadata.namespace ?? '', name: job.metadata.name };
    await writeStatus(context, place, (object) => {
      const current = live<Job>(object);
      return finishedCondition(current)
        ? undefined
        : renderStatus(current, tallyJob(current, podsOf(current)), conclusion);
    });
  };

  const renderStatus = (job: Live<Job>, tally: JobTally, conclusion: JobConclusion | undefined): JobStatus => {
    const at = rfc3339(clock.now());
    const isSuspended = job.spec.suspend ?? false;
    const suspension = suspendCondition(job.status?.conditions ?? [], isSuspended, at);
    const conditions = conclusion ? [...suspension, ...conclusionConditions(conclusion, at)] : suspension;
    const startTime = isSuspended ? undefined : (job.status?.startTime ?? at);
    const completed = renderIndexes(tally.succeededIndexes);
    return {
      ...(conditions.length > 0 ? { conditions } : {}),
      ...(startTime ? { startTime } : {}),
      ...(conclusion?.type === 'Complete' ? { completionTime: at } : {}),
      ...nonZero({
        active: conclusion ? 0 : tally.active.length,
        succeeded: tally.succeeded,
        failed: tally.failed,
      }),
      ready: conclusion ? 0 : tally.ready,
      terminating: tally.terminating,
      uncountedTerminatedPods: {},
      ...(completed && job.spec.completionMode === 'Indexed' ? { completedIndexes: completed } : {}),
    };
  };

  const report = (job: Live<Job>, conclusion: JobConclusion) => {
    const { owner } = writesOf(job);
    if (conclusion.type === 'Complete')
      events.record(owner, { reason: 'Completed', message: 'Job completed', component });
    else events.record(owner, { type: 'Warning', reason: conclusion.reason, message: conclusion.message, component });
  };

  /** Failed pods are replaced with exponential backoff, counted from the last failure. */
  const retryWaitMs = (job: Live<Job>, tally: JobTally): number => {
    if (tally.failed === 0) return 0;
    const lastMs = Math.max(
      ...podsOf(job).map((pod) =>
        pod.status?.phase === 'Failed'
          ? Date.parse(pod.status.containerStatuses?.[0]?.state?.terminated?.finishedAt ?? '') || 0
          : 0,
      ),
    );
    const pauseMs = Math.min(options.jobBackoffMs * 2 ** (tally.failed - 1), 600_000);
    return Math.max(0, lastMs + pauseMs - clock.now());
  };

  const comeBackMs = ({ spec, status }: Live<Job>, waitMs: number): number | undefined => {
    const deadline = spec.activeDeadlineSeconds;
    const startedMs = status?.startTime ? Date.parse(status.startTime) : clock.now();
    const untilDeadlineMs = deadline === undefined ? undefined : startedMs + deadline * 1000 - clock.now();
    const waits = [waitMs, untilDeadlineMs].filter((ms): ms is number => ms !== undefined && ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  };

  const expire = async (job: Live<Job>, over: JobCondition): Promise<number | undefined> => {
    const ttl = job.spec.ttlSecondsAfterFinished;
    if (ttl === undefined) return undefined;
    const leftMs = Date.parse(over.lastTransitionTime ?? '') + ttl * 1000 - clock.now();
    if (leftMs > 0) return leftMs;
    await removeObject(context, jobs, job, { propagationPolicy: 'Background' });
    return undefined;
  };

  return {
    name: component,
    concurrency: 8,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(jobs, ({ type, object }) => {
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(podType, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind !== 'Job') return;
        enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`, options.debounceMs);
      }),
    ],
  };
}

function draftPods(job: Live<Job>, tally: JobTally, count: number): KubeObject[] {
  const { metadata, spec } = job;
  const owner = { apiVersion: 'batch/v1', kind: 'Job', metadata };
  const labels = {
    'batch.kubernetes.io/controller-uid': metadata.uid,
    'batch.kubernetes.io/job-name': metadata.name,
    'controller-uid': metadata.uid,
    'job-name': metadata.name,
  };
  if (spec.completionMode !== 'Indexed') {
    return Array.from({ length: count }, () => podFromTemplate(owner, spec.template, { labels }));
  }
  return freeIndexes(spec.completions ?? 1, tally, count).map((index) => {
    const variable = {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } },
    };
    const containers = (spec.template.spec?.containers ?? []).map((container) => ({
      ...container,
      env: [...(container.env ?? []), variable],
    }));
    return podFromTemplate(owner, spec.template, {
      generateName: `${metadata.name}-${index}-`,
      labels: { ...labels, [indexKey]: String(index) },
      annotations: { [indexKey]: String(index) },
      spec: { containers, hostname: `${metadata.name}-${index}` },
    });
  });
}

function freeIndexes(completions: number, tally: JobTally, count: number): number[] {
  const taken = new Set([...tally.succeededIndexes, ...tally.active.map(indexOf)]);
  const free: number[] = [];
  for (let index = 0; index < completions && free.length < count; index++) if (!taken.has(index)) free.push(index);
  return free;
}

function suspendCondition(list: readonly JobCondition[], isSuspended: boolean, at: string): JobCondition[] {
  const before = findCondition(list, 'Suspended');
  const status = isSuspended ? 'True' : 'False';
  if (before ? before.status === status : !isSuspended) return [...list];
  const words = isSuspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' };
  return withCondition<JobCondition>(list, {
    type: 'Suspended',
    status,
    lastProbeTime: at,
    lastTransitionTime: at,
    ...words,
  });
}
