import { Cron } from 'croner';
import type { CronJob, Job } from 'kubernetes-types/batch/v1.js';
import { errorMessage, rfc3339 } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { finishedCondition } from './job-status.ts';
import { cronJobs, jobs } from './kinds.ts';
import { controllerOf, type OwnedIndex } from './owned-index.ts';
import { isTerminating } from './pod-state.ts';
import { controllerReference } from './pod-template.ts';
import { type Context, type Controller, type EventWords, keyOf, type Live, live, splitKey } from './types.ts';
import { isAlreadyExists, removeObject, writeStatus } from './writes.ts';

const component = 'cronjob-controller';

/** CronJobs start Jobs on schedule. Of several missed times only the latest is started. */
export function createCronJobController(context: Context, jobIndex: OwnedIndex): Controller {
  const { client, clock, events } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(cronJobs, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const cron = live<CronJob>(found);
    let started: string | undefined;
    const schedule = parseSchedule(cron);
    if (schedule instanceof Cron && !cron.spec.suspend) started = await startDue(cron, schedule);
    if (!(schedule instanceof Cron)) {
      note(cron, { type: 'Warning', reason: 'UnparseableSchedule', message: schedule.problem });
    }
    await prune(cron);
    await update(cron, started);
    if (!(schedule instanceof Cron) || cron.spec.suspend) return undefined;
    const next = schedule.nextRun(new Date(clock.now()));
    return next ? next.getTime() - clock.now() : undefined;
  };

  const note = ({ metadata }: Live<CronJob>, words: EventWords) =>
    events.record({ apiVersion: 'batch/v1', kind: 'CronJob', metadata }, { ...words, component });

  const jobsOf = (cron: Live<CronJob>) => jobIndex.ownedBy(cron.metadata.uid).map((job) => live<Job>(job));

  /** Starts the Job of the latest due time and returns that time. */
  const startDue = async (cron: Live<CronJob>, schedule: Cron): Promise<string | undefined> => {
    const now = clock.now();
    // croner searches strictly before its reference: a time that is exactly now is due.
    const due = schedule.previousRuns(1, new Date(now + 1000))[0];
    const since = Date.parse(cron.status?.lastScheduleTime ?? cron.metadata.creationTimestamp ?? rfc3339(now));
    if (!due || due.getTime() > now || due.getTime() <= since) return undefined;
    const deadline = cron.spec.startingDeadlineSeconds;
    if (deadline !== undefined && now > due.getTime() + deadline * 1000) {
      const message = `Missed scheduled time to start a job: ${due.toUTCString()}`;
      note(cron, { type: 'Warning', reason: 'MissSchedule', message });
      return undefined;
    }
    const running = jobsOf(cron).filter((job) => !finishedCondition(job));
    if (running.length > 0 && cron.spec.concurrencyPolicy === 'Forbid') {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      note(cron, { reason: 'JobAlreadyActive', message });
      return undefined;
    }
    if (cron.spec.concurrencyPolicy === 'Replace') for (const job of running) await remove(cron, job);
    await start(cron, due);
    return rfc3339(due.getTime());
  };

  const start = async (cron: Live<CronJob>, due: Date) => {
    try {
      const job = await client.create(jobs, renderJob(cron, due));
      note(cron, { reason: 'SuccessfulCreate', message: `Created job ${job.metadata.name}` });
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return;
      note(cron, { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${errorMessage(thrown)}` });
      throw thrown;
    }
  };

  const remove = async (cron: Live<CronJob>, job: Live<Job>) => {
    await removeObject(context, jobs, job, { propagationPolicy: 'Background' });
    note(cron, { reason: 'SuccessfulDelete', message: `Deleted job ${job.metadata.name}` });
  };

  const prune = async (cron: Live<CronJob>) => {
    const limits = {
      Complete: cron.spec.successfulJobsHistoryLimit ?? 3,
      Failed: cron.spec.failedJobsHistoryLimit ?? 1,
    };
    for (const [type, limit] of Object.entries(limits)) {
      const finished = jobsOf(cron)
        .filter((job) => !isTerminating(job) && finishedCondition(job)?.type === type)
        .sort((a, b) => ((a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1));
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await remove(cron, job);
    }
  };

  const update = (cron: Live<CronJob>, started: string | undefined) => {
    const place = { type: cronJobs, namespace: cron.metadata.namespace ?? '', name: cron.metadata.name };
    return writeStatus(context, place, (object) => {
      const { status } = live<CronJob>(object);
      const all = jobsOf(cron);
      const active = all.filter((job) => !finishedCondition(job) && !isTerminating(job)).map(referenceTo);
      const ended = all.flatMap((job) => job.status?.completionTime ?? []);
      const lastSuccess = [status?.lastSuccessfulTime ?? '', ...ended].sort().at(-1);
      const lastSchedule = started ?? status?.lastScheduleTime;
      for (const job of all) reportFinished(cron, job, status?.active ?? []);
      return {
        ...(active.length > 0 ? { active } : {}),
        ...(lastSchedule ? { lastScheduleTime: lastSchedule } : {}),
        ...(lastSuccess ? { lastSuccessfulTime: lastSuccess } : {}),
      };
    });
  };

  const reportFinished = (cron: Live<CronJob>, job: Live<Job>, active: readonly { readonly uid?: string }[]) => {
    const over = finishedCondition(job);
    if (!over || !active.some((reference) => reference.uid === job.metadata.uid)) return;
    const message = `Saw completed job: ${job.metadata.name}, condition: ${over.type}`;
    note(cron, { reason: 'SawCompletedJob', message });
  };

  return {
    name: component,
    concurrency: 2,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(cronJobs, ({ type, object }) => {
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(jobs, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind === 'CronJob') enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`);
      }),
    ],
  };
}

function parseSchedule({ spec }: Live<CronJob>): Cron | { readonly problem: string } {
  try {
    // Without a time zone the controller manager uses its own; here that is UTC.
    return new Cron(spec.schedule, { paused: true, timezone: spec.timeZone || 'UTC' });
  } catch (thrown) {
    return { problem: `unparseable schedule: "${spec.schedule}" : ${errorMessage(thrown)}` };
  }
}

/** The name contains the time in minutes, so that one time never starts two Jobs. */
function renderJob({ metadata, spec }: Live<CronJob>, due: Date): KubeObject {
  const { labels, annotations } = spec.jobTemplate.metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${metadata.name}-${Math.floor(due.getTime() / 60_000)}`,
      namespace: metadata.namespace ?? '',
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': rfc3339(due.getTime()) },
      ownerReferences: [controllerReference({ apiVersion: 'batch/v1', kind: 'CronJob', metadata })],
    },
    spec: { ...spec.jobTemplate.spec },
  };
}

function referenceTo({ metadata }: Live<Job>) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  };
}
