import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { CronJob, Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodTemplate, ReplicationController } from 'kubernetes-types/core/v1.js';
import { isTrue, parseApiVersion, renderGroupResource } from '../../object/index.ts';
import { renderHumanDuration } from './human-duration.ts';
import { renderLabels, renderSelector } from './label-text.ts';
import {
  ageColumn,
  boolean,
  createdOf,
  integer,
  nameColumn,
  nameOf,
  printerOf,
  selectorColumn,
  templateColumns,
  text,
} from './printer.ts';

const wideTemplate = [...templateColumns, selectorColumn];

export const deploymentPrinter = printerOf<Deployment>(
  [
    nameColumn,
    text('Ready', 'Pods that are ready, of those wanted.'),
    text('Up-to-date', 'Pods made from the current template.'),
    text('Available', 'Pods that have been ready long enough.'),
    ageColumn,
    ...wideTemplate,
  ],
  (object, age) => [
    nameOf(object),
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    object.status?.updatedReplicas ?? 0,
    object.status?.availableReplicas ?? 0,
    age(createdOf(object)),
    ...containerCells(object.spec?.template.spec?.containers),
    renderSelector(object.spec?.selector),
  ],
);

const replicaColumns = [
  nameColumn,
  integer('Desired', 'Pods wanted.'),
  integer('Current', 'Pods that exist.'),
  integer('Ready', 'Pods that are ready.'),
  ageColumn,
  ...wideTemplate,
];

export const replicaSetPrinter = printerOf<ReplicaSet>(replicaColumns, (object, age) => [
  nameOf(object),
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  age(createdOf(object)),
  ...containerCells(object.spec?.template?.spec?.containers),
  renderSelector(object.spec?.selector) || '<none>',
]);

export const replicationControllerPrinter = printerOf<ReplicationController>(replicaColumns, (object, age) => [
  nameOf(object),
  object.spec?.replicas ?? 0,
  object.status?.replicas ?? 0,
  object.status?.readyReplicas ?? 0,
  age(createdOf(object)),
  ...containerCells(object.spec?.template?.spec?.containers),
  renderLabels(object.spec?.selector),
]);

export const daemonSetPrinter = printerOf<DaemonSet>(
  [
    nameColumn,
    integer('Desired', 'Nodes that should run the pod.'),
    integer('Current', 'Nodes that run at least one pod and should.'),
    integer('Ready', 'Nodes whose pod is ready.'),
    integer('Up-to-date', 'Nodes whose pod comes from the current template.'),
    integer('Available', 'Nodes whose pod has been ready long enough.'),
    text('Node Selector', 'Labels a node must have.'),
    ageColumn,
    ...wideTemplate,
  ],
  (object, age) => [
    nameOf(object),
    object.status?.desiredNumberScheduled ?? 0,
    object.status?.currentNumberScheduled ?? 0,
    object.status?.numberReady ?? 0,
    object.status?.updatedNumberScheduled ?? 0,
    object.status?.numberAvailable ?? 0,
    renderLabels(object.spec?.template.spec?.nodeSelector),
    age(createdOf(object)),
    ...containerCells(object.spec?.template.spec?.containers),
    renderSelector(object.spec?.selector) || '<none>',
  ],
);

export const statefulSetPrinter = printerOf<StatefulSet>(
  [nameColumn, text('Ready', 'Pods that are ready, of those wanted.'), ageColumn, ...templateColumns],
  (object, age) => [
    nameOf(object),
    `${object.status?.readyReplicas ?? 0}/${object.spec?.replicas ?? 0}`,
    age(createdOf(object)),
    ...containerCells(object.spec?.template.spec?.containers),
  ],
);

export const jobPrinter = printerOf<Job>(
  [
    nameColumn,
    text('Status', 'Where the job stands.'),
    text('Completions', 'Pods that succeeded, of those wanted.'),
    text('Duration', 'Time from start to completion, or until now.'),
    ageColumn,
    ...wideTemplate,
  ],
  (object, age, now) => [
    nameOf(object),
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object, now),
    age(createdOf(object)),
    ...containerCells(object.spec?.template.spec?.containers),
    renderSelector(object.spec?.selector) || '<none>',
  ],
);

function jobStatus({ metadata, status }: Job): string {
  const has = (type: string) => isTrue(status?.conditions, type);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata?.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function jobCompletions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: Job, now: number): string {
  if (!status?.startTime) return '';
  const end = status.completionTime ? Date.parse(status.completionTime) : now;
  return renderHumanDuration(end - Date.parse(status.startTime));
}

export const cronJobPrinter = printerOf<CronJob>(
  [
    nameColumn,
    text('Schedule', 'When jobs are started, in cron format.'),
    text('Timezone', 'Time zone of the schedule.'),
    boolean('Suspend', 'Whether no new jobs are started.'),
    integer('Active', 'Jobs that are running.'),
    text('Last Schedule', 'Time since a job was last started.'),
    ageColumn,
    ...wideTemplate,
  ],
  (object, age) => [
    nameOf(object),
    object.spec?.schedule ?? '',
    object.spec?.timeZone ?? '<none>',
    object.spec?.suspend === undefined ? '<unset>' : object.spec.suspend ? 'True' : 'False',
    object.status?.active?.length ?? 0,
    object.status?.lastScheduleTime ? age(object.status.lastScheduleTime) : '<none>',
    age(createdOf(object)),
    ...containerCells(object.spec?.jobTemplate.spec?.template.spec?.containers),
    renderSelector(object.spec?.jobTemplate.spec?.selector) || '<none>',
  ],
);

export const controllerRevisionPrinter = printerOf<ControllerRevision>(
  [
    nameColumn,
    text('Controller', 'Object that the revision belongs to.'),
    text('Revision', 'Number of the revision.'),
    ageColumn,
  ],
  (object, age) => {
    const owner = object.metadata?.ownerReferences?.find((one) => one.controller);
    const { group } = parseApiVersion(owner?.apiVersion ?? '');
    const kind = renderGroupResource({ group, resource: owner?.kind ?? '' }).toLowerCase();
    return [nameOf(object), owner ? `${kind}/${owner.name}` : '<none>', object.revision, age(createdOf(object))];
  },
);

export const podTemplatePrinter = printerOf<PodTemplate>(
  [
    nameColumn,
    text('Containers', 'Names of the containers in the template.'),
    text('Images', 'Images of the containers in the template.'),
    text('Pod Labels', 'Labels of the template.'),
  ],
  (object) => [
    nameOf(object),
    ...containerCells(object.template?.spec?.containers),
    renderLabels(object.template?.metadata?.labels),
  ],
);

function containerCells(containers: readonly Container[] = []): [string, string] {
  return [containers.map((one) => one.name).join(','), containers.map((one) => one.image ?? '').join(',')];
}
