import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Pod } from 'kubernetes-types/core/v1.js';
import type { KubeObject } from '../../object/index.ts';
import { revisionHashLabel, syncRevisions } from './controller-revision.ts';
import { pods as podType, statefulSets, volumeClaims } from './kinds.ts';
import { nonZero } from './non-zero.ts';
import { controllerOf, type OwnedIndex } from './owned-index.ts';
import { countPods, isActive, isFinished, isReady, isTerminating } from './pod-state.ts';
import { createPods, deletePods, podFromTemplate } from './pod-template.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { createIfAbsent, writeStatus } from './writes.ts';

const component = 'statefulset-controller';

export interface RevisionedIndexes {
  readonly pods: OwnedIndex;
  readonly revisions: OwnedIndex;
}

/** StatefulSets keep pods with ordinal names: created in order, updated and removed from the highest down. */
export function createStatefulSetController(context: Context, indexes: RevisionedIndexes): Controller {
  const { client, clock, options } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(statefulSets, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const set = live<StatefulSet>(found);
    const hash = await syncRevisions(context, indexes.revisions, {
      owner: ownerOf(set),
      template: set.spec.template,
      selector: set.spec.selector,
      historyLimit: set.spec.revisionHistoryLimit ?? 10,
      inUse: new Set(podsOf(set).map(hashOf)),
    });
    try {
      await step(set, hash);
    } finally {
      await update(set, hash);
    }
    return countPods(podsOf(set), set.spec.minReadySeconds ?? 0, clock.now()).comeBackMs;
  };

  const podsOf = (set: Live<StatefulSet>) => indexes.pods.ownedBy(set.metadata.uid).map((pod) => live<Pod>(pod));

  /** One change at a time unless pods are managed in parallel: the pod's own event triggers the next. */
  const step = async (set: Live<StatefulSet>, hash: string) => {
    const writes = { owner: ownerOf(set), component };
    const byOrdinal = new Map(podsOf(set).map((pod) => [ordinalOf(set, pod), pod]));
    const first = set.spec.ordinals?.start ?? 0;
    const end = first + (set.spec.replicas ?? 1);
    const isParallel = set.spec.podManagementPolicy === 'Parallel';
    for (let ordinal = first; ordinal < end; ordinal++) {
      const pod = byOrdinal.get(ordinal);
      if (pod && isFinished(pod) && !isTerminating(pod)) await deletePods(context, writes, [pod]);
      if (!pod) {
        await createClaims(set, ordinal);
        await createPods(context, writes, [draftPod(set, ordinal, revisionFor(set, ordinal, hash))]);
      }
      if (!isParallel && !(pod && isActive(pod) && isReady(pod))) return;
    }
    const surplus = [...byOrdinal].filter(([ordinal]) => ordinal < first || ordinal >= end).sort(([a], [b]) => b - a);
    const going = surplus.map(([, pod]) => pod);
    if (going.length > 0) {
      if (isParallel)
        await deletePods(
          context,
          writes,
          going.filter((pod) => !isTerminating(pod)),
        );
      else if (!going.some(isTerminating)) await deletePods(context, writes, going.slice(0, 1));
      return;
    }
    if (set.spec.updateStrategy?.type === 'OnDelete') return;
    const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
    for (let ordinal = end - 1; ordinal >= Math.max(first, partition); ordinal--) {
      const pod = byOrdinal.get(ordinal);
      if (!pod || isTerminating(pod) || (hashOf(pod) === hash && !isReady(pod))) return;
      if (hashOf(pod) !== hash) return deletePods(context, writes, [pod]);
    }
  };

  const createClaims = async (set: Live<StatefulSet>, ordinal: number) => {
    for (const template of set.spec.volumeClaimTemplates ?? []) {
      await createIfAbsent(context, volumeClaims, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${template.metadata?.name}-${set.metadata.name}-${ordinal}`,
          namespace: set.metadata.namespace ?? '',
          labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels },
        },
        spec: template.spec,
      });
    }
  };

  const update = (set: Live<StatefulSet>, hash: string) => {
    const place = { type: statefulSets, namespace: set.metadata.namespace ?? '', name: set.metadata.name };
    return writeStatus(context, place, (object) => {
      const current = live<StatefulSet>(object);
      const active = podsOf(set).filter(isActive);
      const counts = countPods(active, set.spec.minReadySeconds ?? 0, clock.now());
      const updateRevision = `${set.metadata.name}-${hash}`;
      const updated = active.filter((pod) => hashOf(pod) === hash).length;
      const before = current.status?.currentRevision ?? updateRevision;
      const isDone = updated === active.length && updated === (set.spec.replicas ?? 1) && counts.ready === updated;
      const currentRevision = isDone ? updateRevision : before;
      const currentReplicas = active.filter((pod) => `${set.metadata.name}-${hashOf(pod)}` === currentRevision).length;
      return {
        ...nonZero({ observedGeneration: set.metadata.generation }),
        replicas: active.length,
        ...nonZero({ readyReplicas: counts.ready, currentReplicas, updatedReplicas: updated }),
        currentRevision,
        updateRevision,
        collisionCount: 0,
        availableReplicas: counts.available,
      };
    });
  };

  return {
    name: component,
    concurrency: 4,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(statefulSets, ({ type, object }) => {
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(podType, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind !== 'StatefulSet') return;
        enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`, options.debounceMs);
      }),
    ],
  };
}

const ownerOf = ({ metadata }: Live<StatefulSet>) => ({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata });
const hashOf = ({ metadata }: Live<Pod>) => metadata.labels?.[revisionHashLabel] ?? '';
const ordinalOf = (set: Live<StatefulSet>, pod: Live<Pod>) =>
  Number(pod.metadata.name.slice(set.metadata.name.length + 1));

/** Pods below the partition keep their revision. */
function revisionFor({ metadata, spec, status }: Live<StatefulSet>, ordinal: number, hash: string): string {
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const before = status?.currentRevision?.slice(metadata.name.length + 1);
  return ordinal < partition && before ? before : hash;
}

function draftPod(set: Live<StatefulSet>, ordinal: number, hash: string): KubeObject {
  const { metadata, spec } = set;
  const name = `${metadata.name}-${ordinal}`;
  const claimed = (spec.volumeClaimTemplates ?? []).map((template) => ({
    name: template.metadata?.name,
    persistentVolumeClaim: { claimName: `${template.metadata?.name}-${name}` },
  }));
  const claimedNames = new Set(claimed.map((volume) => volume.name));
  const volumes = [
    ...(spec.template.spec?.volumes ?? []).filter((volume) => !claimedNames.has(volume.name)),
    ...claimed,
  ];
  return podFromTemplate(ownerOf(set), spec.template, {
    name,
    labels: {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(ordinal),
      [revisionHashLabel]: hash,
    },
    spec: {
      hostname: name,
      ...(spec.serviceName ? { subdomain: spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  });
}
