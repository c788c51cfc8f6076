import type { DaemonSet } from 'kubernetes-types/apps/v1.js';
import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import { revisionHashLabel, syncRevisions } from './controller-revision.ts';
import { daemonSets, nodes as nodeType, pods as podType } from './kinds.ts';
import { nonZero } from './non-zero.ts';
import { controllerOf } from './owned-index.ts';
import { countPods, isActive, isFinished, isReady, isTerminating } from './pod-state.ts';
import { createPods, deletePods, podFromTemplate } from './pod-template.ts';
import { matchesNode } from './scheduling.ts';
import type { RevisionedIndexes } from './stateful-set.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { writeStatus } from './writes.ts';

const component = 'daemonset-controller';

/** DaemonSets run one pod on every node that their template admits. */
export function createDaemonSetController(context: Context, indexes: RevisionedIndexes): Controller {
  const { client, clock, options } = context;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(daemonSets, namespace, name);
    if (!found || isTerminating(found)) return undefined;
    const set = live<DaemonSet>(found);
    const hash = await syncRevisions(context, indexes.revisions, {
      owner: ownerOf(set),
      template: set.spec.template,
      selector: set.spec.selector,
      historyLimit: set.spec.revisionHistoryLimit ?? 10,
      inUse: new Set(podsOf(set).map(hashOf)),
    });
    const eligible = eligibleNodes(set);
    try {
      await step(set, hash, eligible);
    } finally {
      await update(set, hash, eligible);
    }
    return countPods(podsOf(set), set.spec.minReadySeconds ?? 0, clock.now()).comeBackMs;
  };

  const podsOf = (set: Live<DaemonSet>) => indexes.pods.ownedBy(set.metadata.uid).map((pod) => live<Pod>(pod));

  const eligibleNodes = (set: Live<DaemonSet>): string[] =>
    client
      .list(nodeType)
      .map((node) => live<Node>(node))
      .filter((node) => matchesNode(set.spec.template.spec ?? { containers: [] }, node))
      .map((node) => node.metadata.name);

  const step = async (set: Live<DaemonSet>, hash: string, eligible: readonly string[]) => {
    const writes = { owner: ownerOf(set), component };
    const all = podsOf(set);
    const byNode = new Map(all.map((pod) => [targetNode(pod), pod]));
    const missing = eligible.filter((node) => !byNode.has(node));
    await createPods(
      context,
      writes,
      missing.map((node) => draftPod(set, hash, node)),
    );
    const wanted = new Set(eligible);
    const surplus = all.filter((pod) => !isTerminating(pod) && (!wanted.has(targetNode(pod)) || isFinished(pod)));
    await deletePods(context, writes, surplus);
    if (set.spec.updateStrategy?.type === 'OnDelete') return;
    const budget = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
    const allowed =
      typeof budget === 'number' ? budget : Math.ceil((Number.parseInt(budget, 10) * eligible.length) / 100);
    const working = all.filter((pod) => isActive(pod) && isReady(pod)).length;
    const room = Math.max(0, allowed - (eligible.length - working));
    const outdated = all.filter((pod) => isActive(pod) && hashOf(pod) !== hash);
    const broken = outdated.filter((pod) => !isReady(pod));
    await deletePods(context, writes, [...broken, ...outdated.filter(isReady).slice(0, room)]);
  };

  const update = (set: Live<DaemonSet>, hash: string, eligible: readonly string[]) => {
    const place = { type: daemonSets, namespace: set.metadata.namespace ?? '', name: set.metadata.name };
    return writeStatus(context, place, () => {
      const wanted = new Set(eligible);
      const active = podsOf(set).filter(isActive);
      const placed = active.filter((pod) => wanted.has(targetNode(pod)));
      const counts = countPods(placed, set.spec.minReadySeconds ?? 0, clock.now());
      return {
        currentNumberScheduled: placed.length,
        numberMisscheduled: active.length - placed.length,
        desiredNumberScheduled: eligible.length,
        numberReady: counts.ready,
        ...nonZero({
          observedGeneration: set.metadata.generation,
          updatedNumberScheduled: placed.filter((pod) => hashOf(pod) === hash).length,
          numberAvailable: counts.available,
          numberUnavailable: eligible.length - counts.available,
        }),
      };
    });
  };

  return {
    name: component,
    concurrency: 4,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(daemonSets, ({ type, object }) => {
        if (type !== 'DELETED') enqueue(keyOf(object));
      }),
      client.watch(nodeType, ({ type }) => {
        // A node's heartbeat is irrelevant here; an added or removed node is not.
        if (type !== 'MODIFIED') for (const set of client.list(daemonSets)) enqueue(keyOf(set));
      }),
      client.watch(podType, ({ object }) => {
        const reference = controllerOf(object);
        if (reference?.kind !== 'DaemonSet') return;
        enqueue(`${object.metadata.namespace ?? ''}/${reference.name}`, options.debounceMs);
      }),
    ],
  };
}

const ownerOf = ({ metadata }: Live<DaemonSet>) => ({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata });
const hashOf = ({ metadata }: Live<Pod>) => metadata.labels?.[revisionHashLabel] ?? '';

/** The node a pod was created for; it may not be bound yet. */
function targetNode({ spec }: Live<Pod>): string {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.[0]?.values?.[0] ?? '';
}

function draftPod(set: Live<DaemonSet>, hash: string, node: string) {
  const { template } = set.spec;
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return podFromTemplate(ownerOf(set), template, {
    labels: { [revisionHashLabel]: hash },
    spec: { affinity: { ...template.spec?.affinity, nodeAffinity } },
  });
}
