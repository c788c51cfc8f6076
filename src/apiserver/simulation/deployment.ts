import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.js';
import { findCondition, type KubeObject } from '../../object/index.ts';
import { deploymentStatus, type Rollout, untilDeadlineMs } from './deployment-status.ts';
import { limitsOf, planPaused, planRollingUpdate, type Scale, sum, wanted } from './deployment-strategy.ts';
import { deployments, pods as podType, replicaSets } from './kinds.ts';
import { controllerOf, type OwnedIndex } from './owned-index.ts';
import { isFinished, isTerminating } from './pod-state.ts';
import { controllerReference, templateHash } from './pod-template.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { isAlreadyExists, modify, removeObject, writeStatus } from './writes.ts';

const revisionKey = 'deployment.kubernetes.io/revision';
const historyKey = 'deployment.kubernetes.io/revision-history';
const hashLabel = 'pod-template-hash';
const component = 'deployment-controller';
// Annotations of the ReplicaSet itself, or that would be out of date at once.
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionKey,
  historyKey,
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
]);

interface DeploymentIndexes {
  readonly pods: OwnedIndex;
  readonly replicaSets: OwnedIndex;
}

/** Deployments create ReplicaSets, one for each template that was rolled out. */
export function createDeploymentController(context: Context, indexes: DeploymentIndexes): Controller {
  const { client, clock, events } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(deployments, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const deployment = live<Deployment>(found);
    const rollout = await roll(deployment);
    await cleanUp(rollout);
    const written = await writeStatus(context, { type: deployments, namespace, name }, (object) =>
      deploymentStatus(rollout, live<Deployment>(object).status, clock.now()),
    );
    const status = written && live<Deployment>(written).status;
    return untilDeadlineMs(deployment, findCondition(status?.conditions, 'Progressing'), clock.now());
  };

  const roll = async (deployment: Live<Deployment>): Promise<Rollout> => {
    const { paused, strategy } = deployment.spec;
    let rollout = findSets(deployment);
    const limits = limitsOf(deployment);
    if (paused) {
      const all = rollout.next ? [...rollout.old, rollout.next] : rollout.old;
      await scaleAll(deployment, planPaused(all, limits));
      return findSets(deployment);
    }
    if (strategy?.type === 'Recreate') {
      await scaleAll(
        deployment,
        rollout.old.filter((set) => wanted(set) > 0).map((set) => ({ set, to: 0 })),
      );
      if (rollout.old.some(hasLivingPods)) return findSets(deployment);
    }
    const room = Math.min(limits.desired, limits.desired + limits.maxSurge - sum(rollout.old, wanted));
    rollout = await ensureNext(rollout, Math.max(0, room));
    if (rollout.next) await scaleAll(deployment, planRollingUpdate(rollout.next, rollout.old, limits));
    return findSets(deployment);
  };

  const findSets = (deployment: Live<Deployment>): Rollout => {
    const hash = templateHash(deployment.spec.template);
    const all = indexes.replicaSets
      .ownedBy(deployment.metadata.uid)
      .filter((set) => !isTerminating(set))
      .map((set) => live<ReplicaSet>(set))
      .sort((a, b) => revisionOf(a) - revisionOf(b));
    const next = all.find((set) => set.metadata.labels?.[hashLabel] === hash);
    return { deployment, next, old: all.filter((set) => set !== next) };
  };

  const hasLivingPods = (set: Live<ReplicaSet>) =>
    indexes.pods.ownedBy(set.metadata.uid).some((pod) => !isFinished(live(pod)));

  const ensureNext = async (rollout: Rollout, replicas: number): Promise<Rollout> => {
    const { deployment, next, old } = rollout;
    const revision = Math.max(0, ...old.map(revisionOf)) + 1;
    if (!next) {
      try {
        const created = await client.create(replicaSets, renderReplicaSet(deployment, replicas, revision));
        if (replicas > 0) recordScale(deployment, created.metadata.name ?? '', 0, replicas);
      } catch (thrown) {
        if (!isAlreadyExists(thrown)) throw thrown;
      }
    } else if (revisionOf(next) < revision) {
      await changeSet(next, (set) => withRevision(set, revision));
    }
    const after = findSets(deployment);
    if (after.next) await syncAnnotations(deployment, after.next);
    return after;
  };

  const syncAnnotations = async (deployment: Live<Deployment>, next: Live<ReplicaSet>) => {
    const revision = String(revisionOf(next));
    await changeSet(next, (set) => annotate(set, copiedAnnotations(deployment)));
    const place = { type: deployments, namespace: deployment.metadata.namespace ?? '', name: deployment.metadata.name };
    await modify(context, place, (object) => annotate(object, { [revisionKey]: revision }));
  };

  const scaleAll = async (deployment: Live<Deployment>, scales: readonly Scale[]) => {
    const annotations = sizeAnnotations(deployment);
    for (const { set, to } of scales) {
      await changeSet(set, (object) =>
        annotate({ ...object, spec: { ...live<ReplicaSet>(object).spec, replicas: to } }, annotations),
      );
      recordScale(deployment, set.metadata.name, wanted(set), to);
    }
  };

  const recordScale = (deployment: Live<Deployment>, set: string, from: number, to: number) => {
    const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${set} from ${from} to ${to}`;
    const about = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: deployment.metadata };
    events.record(about, { reason: 'ScalingReplicaSet', message, component });
  };

  const changeSet = (set: Live<ReplicaSet>, change: (object: KubeObject) => KubeObject) =>
    modify(context, { type: replicaSets, namespace: set.metadata.namespace ?? '', name: set.metadata.name }, change);

  const cleanUp = async ({ deployment, old }: Rollout) => {
    const limit = deployment.spec.revisionHistoryLimit ?? 10;
    const idle = old.filter((set) => wanted(set) === 0 && (set.status?.replicas ?? 0) === 0);
    for (const set of idle.slice(0, Math.max(0, idle.length - limit))) await removeObject(context, replicaSets, set);
  };

  return {
    name: component,
    concurrency: 4,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(deployments, ({ type, object }) => {
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(replicaSets, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind === 'Deployment') enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`);
      }),
      // Recreate waits until the last old pod is gone, which changes no ReplicaSet.
      client.watch(podType, ({ type, object }) => {
        const reference = controllerOf(object);
        if (type !== 'DELETED' || reference?.kind !== 'ReplicaSet') return;
        const namespace = object.metadata.namespace ?? '';
        const set = client.get(replicaSets, namespace, reference.name);
        const owner = set && controllerOf(set);
        if (owner?.kind === 'Deployment') enqueue(`${namespace}/${owner.name}`);
      }),
    ],
  };
}

function renderReplicaSet(deployment: Live<Deployment>, replicas: number, revision: number): KubeObject {
  const { metadata, spec } = deployment;
  const { template } = spec;
  const hash = templateHash(template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: {
        ...copiedAnnotations(deployment),
        ...sizeAnnotations(deployment),
        [revisionKey]: String(revision),
      },
      ownerReferences: [controllerReference({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function sizeAnnotations(deployment: Live<Deployment>): Record<string, string> {
  const { desired, maxSurge } = limitsOf(deployment);
  return {
    'deployment.kubernetes.io/desired-replicas': String(desired),
    'deployment.kubernetes.io/max-replicas': String(desired + maxSurge),
  };
}

function copiedAnnotations({ metadata }: Live<Deployment>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key)));
}

function withRevision(set: KubeObject, revision: number): KubeObject {
  const before = set.metadata.annotations?.[revisionKey];
  const history = [set.metadata.annotations?.[historyKey], before].filter(Boolean).join(',');
  return annotate(set, { [revisionKey]: String(revision), ...(history ? { [historyKey]: history } : {}) });
}

function annotate(object: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  if (Object.keys(annotations).length === 0) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  };
}

function revisionOf({ metadata }: Live<ReplicaSet>): number {
  return Number(metadata.annotations?.[revisionKey] ?? 0);
}
