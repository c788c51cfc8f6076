import type { ReplicaSet } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import { errorMessage, rfc3339 } from '../../base/index.ts';
import { type GroupVersionResource, withCondition, withoutCondition } from '../../object/index.ts';
import { pods as podType, replicaSets, replicationControllers } from './kinds.ts';
import { nonZero } from './non-zero.ts';
import { controllerOf, type OwnedIndex } from './owned-index.ts';
import { byDispensability, countPods, isActive, isTerminating } from './pod-state.ts';
import { createPods, deletePods, podFromTemplate } from './pod-template.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { writeStatus } from './writes.ts';

interface Flavour {
  readonly type: GroupVersionResource;
  readonly kind: string;
  readonly component: string;
}
const replicaSetFlavour: Flavour = { type: replicaSets, kind: 'ReplicaSet', component: 'replicaset-controller' };
const replicationFlavour: Flavour = {
  type: replicationControllers,
  kind: 'ReplicationController',
  component: 'replication-controller',
};

export const createReplicaSetController = (context: Context, pods: OwnedIndex) =>
  createController(context, pods, replicaSetFlavour);

/** The older kind differs only in its name here: both keep a number of pods of one template. */
export const createReplicationController = (context: Context, pods: OwnedIndex) =>
  createController(context, pods, replicationFlavour);

function createController(context: Context, pods: OwnedIndex, flavour: Flavour): Controller {
  const { client, clock, options } = context;
  const { type, kind, component } = flavour;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(type, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const set = live<ReplicaSet>(found);
    const owner = { apiVersion: found.apiVersion, kind, metadata: set.metadata };
    const active = activePods(pods, set);
    const missing = (set.spec.replicas ?? 1) - active.length;
    const { template } = set.spec;
    let failure: unknown;
    try {
      if (missing > 0 && template) {
        const draft = podFromTemplate(owner, template);
        await createPods(
          context,
          { owner, component },
          Array.from({ length: missing }, () => draft),
        );
      } else if (missing < 0) {
        const surplus = active.sort(byDispensability).slice(0, -missing);
        await deletePods(context, { owner, component }, surplus);
      }
    } catch (thrown) {
      failure = thrown;
    }
    const comeBackMs = await updateStatus(set, missing, failure);
    if (failure !== undefined) throw failure;
    return comeBackMs;
  };

  const updateStatus = async (set: Live<ReplicaSet>, missing: number, failure: unknown) => {
    const now = clock.now();
    const active = activePods(pods, set);
    const counts = countPods(active, set.spec.minReadySeconds ?? 0, now);
    const place = { type, namespace: set.metadata.namespace ?? '', name: set.metadata.name };
    await writeStatus(context, place, (object) => {
      const before = live<ReplicaSet>(object).status?.conditions ?? [];
      const conditions =
        failure === undefined
          ? withoutCondition(before, 'ReplicaFailure')
          : withCondition(before, {
              type: 'ReplicaFailure',
              status: 'True',
              lastTransitionTime: rfc3339(now),
              reason: missing > 0 ? 'FailedCreate' : 'FailedDelete',
              message: errorMessage(failure),
            });
      return {
        replicas: active.length,
        ...nonZero({
          fullyLabeledReplicas: active.length,
          readyReplicas: counts.ready,
          availableReplicas: counts.available,
          observedGeneration: set.metadata.generation,
        }),
        ...(conditions.length > 0 ? { conditions } : {}),
      };
    });
    return counts.comeBackMs;
  };

  return {
    name: component,
    concurrency: 4,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(type, ({ type: change, object, previous }) => {
        // Skip our own status updates: a change of the spec has a new generation.
        const hasNewGeneration = !previous || previous.metadata.generation !== object.metadata.generation;
        if (change !== 'DELETED' && hasNewGeneration) enqueue(keyOf(object));
      }),
      client.watch(podType, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind !== kind) return;
        // Each pass reads every pod of the set: the larger the set, the more changes one pass collects.
        const afterMs = options.debounceMs + pods.countOwnedBy(reference.uid) / 20;
        enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`, afterMs);
      }),
    ],
  };
}

function activePods(pods: OwnedIndex, set: Live<ReplicaSet>): Live<Pod>[] {
  return pods
    .ownedBy(set.metadata.uid)
    .map((pod) => live<Pod>(pod))
    .filter(isActive);
}
