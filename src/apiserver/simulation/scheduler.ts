import type { Node, Pod } from 'kubernetes-types/core/v1.js';
import { findCondition } from '../../object/index.ts';
import { nodes as nodeType, pods as podType } from './kinds.ts';
import { isFinished, isTerminating } from './pod-state.ts';
import { unscheduledStatus } from './pod-status.ts';
import { matchesNode } from './scheduling.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { modify, writeStatus } from './writes.ts';

const component = 'default-scheduler';

/** Assigns pods to nodes round-robin; a pod that fits no node waits until a node changes. */
export function createScheduler(context: Context): Controller {
  const { client, clock, events, options } = context;
  const waiting = new Set<string>();
  let turn = 0;

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    waiting.delete(key);
    const found = client.get(podType, namespace, name);
    const pod = found && live<Pod>(found);
    if (!pod || pod.spec.nodeName || isTerminating(pod) || isFinished(pod)) return undefined;
    if ((pod.spec.schedulerName ?? component) !== component) return undefined;
    if ((pod.spec.schedulingGates ?? []).length > 0) {
      await refuse(pod, 'SchedulingGated', 'Scheduling is blocked due to non-empty scheduling gates');
      return undefined;
    }
    const all = client.list(nodeType).map((node) => live<Node>(node));
    const fitting = all.filter((node) => isOpenTo(pod, node));
    const node = fitting[turn++ % Math.max(1, fitting.length)];
    if (!node) {
      waiting.add(key);
      const message = `0/${all.length} nodes are available: none matches the pod's node selector and affinity.`;
      events.record(aboutPod(pod), { type: 'Warning', reason: 'FailedScheduling', message, component });
      await refuse(pod, 'Unschedulable', message);
      return undefined;
    }
    await bind(pod, node.metadata.name);
    const message = `Successfully assigned ${namespace}/${name} to ${node.metadata.name}`;
    events.record(aboutPod(pod), { reason: 'Scheduled', message, component });
    return undefined;
  };

  const bind = async ({ metadata }: Live<Pod>, node: string) => {
    const namespace = metadata.namespace ?? '';
    if (options.bindPod) return options.bindPod(namespace, metadata.name, node);
    await modify(context, { type: podType, namespace, name: metadata.name }, (object) => {
      const { spec } = live<Pod>(object);
      return spec.nodeName || isTerminating(object) ? undefined : { ...object, spec: { ...spec, nodeName: node } };
    });
  };

  const refuse = ({ metadata }: Live<Pod>, reason: string, message: string) =>
    writeStatus(context, { type: podType, namespace: metadata.namespace ?? '', name: metadata.name }, (object) => {
      const current = live<Pod>(object);
      const before = findCondition(current.status?.conditions, 'PodScheduled');
      if (before?.reason === reason && before.message === message) return undefined;
      return unscheduledStatus(current, reason, message, clock.now());
    });

  return {
    name: component,
    concurrency: 8,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(podType, ({ type, object }) => {
        const key = keyOf(object);
        if (type === 'DELETED') waiting.delete(key);
        else if (!live<Pod>(object).spec.nodeName && !waiting.has(key)) enqueue(key);
      }),
      client.watch(nodeType, () => {
        for (const key of waiting) enqueue(key);
      }),
    ],
  };
}

/** Pods of DaemonSets also run on cordoned nodes: they select their node by affinity. */
function isOpenTo(pod: Live<Pod>, node: Live<Node>): boolean {
  if (!matchesNode(pod.spec, node)) return false;
  return !node.spec?.unschedulable || (pod.metadata.ownerReferences ?? []).some((one) => one.kind === 'DaemonSet');
}

export const aboutPod = ({ metadata }: Live<Pod>) => ({ apiVersion: 'v1', kind: 'Pod', metadata });
