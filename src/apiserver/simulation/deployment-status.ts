import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from 'kubernetes-types/apps/v1.js';
import { rfc3339 } from '../../base/index.ts';
import { findCondition, withCondition, withoutCondition } from '../../object/index.ts';
import { available, limitsOf, sum, wanted } from './deployment-strategy.ts';
import { nonZero } from './non-zero.ts';
import type { Live } from './types.ts';

export interface Rollout {
  readonly deployment: Live<Deployment>;
  readonly next: Live<ReplicaSet> | undefined;
  /** The other ReplicaSets, oldest first. */
  readonly old: readonly Live<ReplicaSet>[];
}

type Conditions = readonly DeploymentCondition[];

/**
 * The status for `kubectl rollout status` and `kubectl wait`. observedGeneration is the generation that was rolled out,
 * not a later one: `before` is the stored status, which may be newer than the deployment's own.
 */
export function deploymentStatus(
  { deployment, next, old }: Rollout,
  before: DeploymentStatus | undefined,
  now: number,
): DeploymentStatus {
  const all = next ? [...old, next] : old;
  const { desired, maxUnavailable } = limitsOf(deployment);
  const availableReplicas = sum(all, available);
  const counts = {
    replicas: sum(all, (set) => set.status?.replicas ?? 0),
    updatedReplicas: next?.status?.replicas ?? 0,
    readyReplicas: sum(all, (set) => set.status?.readyReplicas ?? 0),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(all, wanted) - availableReplicas),
  };
  const at = rfc3339(now);
  let conditions: Conditions = setCondition(
    before?.conditions ?? [],
    at,
    ...availability(availableReplicas >= desired - maxUnavailable),
  );
  const isComplete =
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired;
  const hasProgressed = progressed(before, counts);
  conditions = progress({ deployment, next, conditions, isComplete, hasProgressed, now });
  conditions = replicaFailure(conditions, next);
  return {
    ...nonZero({ observedGeneration: deployment.metadata.generation, ...counts }),
    ...(before?.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    conditions: [...conditions],
  };
}

function availability(isAvailable: boolean): [string, string, string, string] {
  return isAvailable
    ? ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.']
    : ['Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'];
}

interface Progress {
  readonly deployment: Live<Deployment>;
  readonly next: Live<ReplicaSet> | undefined;
  readonly conditions: Conditions;
  readonly isComplete: boolean;
  readonly hasProgressed: boolean;
  readonly now: number;
}

function progress({ deployment, next, conditions, isComplete, hasProgressed, now }: Progress): Conditions {
  const at = rfc3339(now);
  const current = findCondition(conditions, 'Progressing');
  const set = (status: string, reason: string, message: string) =>
    setCondition(conditions, at, 'Progressing', status, reason, message);
  if (deployment.spec.paused) return set('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (!next) return conditions;
  const name = `ReplicaSet "${next.metadata.name}"`;
  if (isComplete) return set('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`);
  if (!current) return set('True', 'NewReplicaSetCreated', `Created new replica set "${next.metadata.name}"`);
  if (current.reason === 'DeploymentPaused') return set('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (hasProgressed || current.reason === 'NewReplicaSetAvailable') {
    const moved = set('True', 'ReplicaSetUpdated', `${name} is progressing.`);
    return moved.map((one) => (one.type === 'Progressing' ? { ...one, lastUpdateTime: at } : one));
  }
  if (untilDeadlineMs(deployment, current, now) === 0) {
    return set('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`);
  }
  return conditions;
}

/** Milliseconds until the progress deadline of a rollout; undefined when there is no rollout. */
export function untilDeadlineMs(
  { spec }: Live<Deployment>,
  progressing: DeploymentCondition | undefined,
  now: number,
): number | undefined {
  const isUnderWay =
    progressing?.lastUpdateTime && progressing.status === 'True' && progressing.reason !== 'NewReplicaSetAvailable';
  if (!isUnderWay || spec.paused) return undefined;
  const dueMs = Date.parse(progressing.lastUpdateTime ?? '') + (spec.progressDeadlineSeconds ?? 600) * 1000;
  return Math.max(0, dueMs - now);
}

function progressed(before: DeploymentStatus | undefined, counts: Readonly<Record<string, number>>): boolean {
  const was = (name: keyof DeploymentStatus) => (before?.[name] as number | undefined) ?? 0;
  const is = (name: string) => counts[name] ?? 0;
  return (
    is('updatedReplicas') > was('updatedReplicas') ||
    is('readyReplicas') > was('readyReplicas') ||
    is('availableReplicas') > was('availableReplicas') ||
    is('replicas') - is('updatedReplicas') < was('replicas') - was('updatedReplicas')
  );
}

function replicaFailure(conditions: Conditions, next: Live<ReplicaSet> | undefined): Conditions {
  const failure = findCondition(next?.status?.conditions, 'ReplicaFailure');
  if (!failure) return withoutCondition(conditions, 'ReplicaFailure');
  const at = failure.lastTransitionTime ?? '';
  return setCondition(conditions, at, failure.type, failure.status, failure.reason ?? '', failure.message ?? '');
}

/** Leaves the condition unchanged, times included, when neither its status nor its reason changes. */
function setCondition(
  list: Conditions,
  at: string,
  ...fields: [string, string, string, string]
): DeploymentCondition[] {
  const [type, status, reason, message] = fields;
  const before = findCondition(list, type);
  if (before?.status === status && before.reason === reason && before.message === message) return [...list];
  return withCondition<DeploymentCondition>(list, {
    type,
    status,
    lastUpdateTime: at,
    lastTransitionTime: at,
    reason,
    message,
  });
}
