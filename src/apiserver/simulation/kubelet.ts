import type { Node, Pod, PodStatus } from 'kubernetes-types/core/v1.js';
import { isTrue } from '../../object/index.ts';
import { createAddressPool } from './addresses.ts';
import { nodes as nodeType, pods as podType } from './kinds.ts';
import { scriptOf } from './pod-script.ts';
import { isFinished, isTerminating } from './pod-state.ts';
import { crashedStatus, creatingStatus, endedStatus, type Placement, runningStatus } from './pod-status.ts';
import { aboutPod } from './scheduler.ts';
import { type Context, type Controller, keyOf, type Live, live, splitKey } from './types.ts';
import { removeObject, writeStatus } from './writes.ts';

const component = 'kubelet';
// From this start time on, the ContainerCreating status is worth its own write.
const slowStartMs = 500;
const firstCrashBackoffMs = 10_000;
const lastCrashBackoffMs = 300_000;

/** Simulates the kubelet of every node: assigned pods start, run, end and are removed, without a container. */
export function createKubelet(context: Context): Controller {
  const { client, clock, events, options } = context;
  const addresses = createAddressPool();
  // Statuses have whole seconds only; times observed by this process are more exact.
  const seenMs = new Map<string, number>();
  const startedMs = new Map<string, number>();

  const reconcile = async (key: string): Promise<number | undefined> => {
    const [namespace, name] = splitKey(key);
    const found = client.get(podType, namespace, name);
    const pod = found && live<Pod>(found);
    if (!pod?.spec.nodeName) return undefined;
    const node = client.get(nodeType, '', pod.spec.nodeName);
    if (!node) return undefined;
    if (isTerminating(pod)) return stop(pod);
    if (isFinished(pod)) return undefined;
    return pod.status?.phase === 'Running' ? tend(pod, live<Node>(node)) : start(pod, live<Node>(node));
  };

  const start = async (pod: Live<Pod>, node: Live<Node>): Promise<number | undefined> => {
    const { uid } = pod.metadata;
    const since = seenMs.get(uid) ?? clock.now();
    seenMs.set(uid, since);
    const leftMs = since + options.podStartMs - clock.now();
    if (leftMs > 0) {
      const isSlow = options.podStartMs >= slowStartMs && !pod.status?.containerStatuses;
      if (isSlow) await setStatus(pod, (current) => creatingStatus(current, placementOf(current, node)));
      return leftMs;
    }
    startedMs.set(uid, clock.now());
    await setStatus(pod, (current) => runningStatus(current, placementOf(current, node)));
    recordStart(pod);
    const script = scriptOf(pod, options.jobDurationMs);
    return script?.durationMs;
  };

  const tend = async (pod: Live<Pod>, node: Live<Node>): Promise<number | undefined> => {
    const crashed = pod.status?.containerStatuses?.find((one) => one.state?.waiting?.reason === 'CrashLoopBackOff');
    if (crashed) {
      const since = Date.parse(crashed.lastState?.terminated?.finishedAt ?? '');
      const leftMs = since + crashBackoffMs(crashed.restartCount) - clock.now();
      if (leftMs > 0) return leftMs;
      startedMs.set(pod.metadata.uid, clock.now());
      await setStatus(pod, (current) => runningStatus(current, placementOf(current, node)));
      recordStart(pod);
    } else if (needsRefresh(pod)) {
      await setStatus(pod, (current) => runningStatus(current, placementOf(current, node)));
    }
    const script = scriptOf(pod, options.jobDurationMs);
    if (!script) return undefined;
    const leftMs = startOf(pod) + script.durationMs - clock.now();
    if (leftMs > 0) return leftMs;
    return end(pod, script.exitCode);
  };

  const end = async (pod: Live<Pod>, exitCode: number): Promise<number | undefined> => {
    const { restartPolicy = 'Always' } = pod.spec;
    const restarts = restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
    if (!restarts) {
      await setStatus(pod, (current) => endedStatus(current, exitCode, clock.now()));
      return undefined;
    }
    const pauseMs = crashBackoffMs(pod.status?.containerStatuses?.[0]?.restartCount ?? 0);
    await setStatus(pod, (current) => crashedStatus(current, exitCode, clock.now(), pauseMs));
    for (const { name } of pod.spec.containers) {
      const message = `Back-off restarting failed container ${name} in pod ${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      note(pod, { type: 'Warning', reason: 'BackOff', message }, name);
    }
    return pauseMs;
  };

  const stop = async (pod: Live<Pod>): Promise<number | undefined> => {
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const askedMs = Date.parse(pod.metadata.deletionTimestamp ?? '') - graceMs;
    const leftMs = askedMs + Math.min(options.podStopMs, graceMs) - clock.now();
    if (leftMs > 0) return leftMs;
    // Only finalizers keep the pod now; the kubelet does not wait for them.
    if (graceMs === 0 && (pod.metadata.finalizers ?? []).length > 0) return undefined;
    if (pod.status?.phase === 'Running') {
      for (const { name } of pod.spec.containers)
        note(pod, { reason: 'Killing', message: `Stopping container ${name}` }, name);
    }
    await removeObject(context, podType, pod, { gracePeriodSeconds: 0 });
    return undefined;
  };

  const setStatus = (pod: Live<Pod>, status: (current: Live<Pod>) => PodStatus) => {
    const place = { type: podType, namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
    return writeStatus(context, place, (object) => {
      const current = live<Pod>(object);
      const isOurs = current.metadata.uid === pod.metadata.uid && !isFinished(current) && !isTerminating(current);
      return isOurs ? status(current) : undefined;
    });
  };

  const placementOf = (pod: Live<Pod>, node: Live<Node>): Placement => {
    const hostIp = node.status?.addresses?.find((one) => one.type === 'InternalIP')?.address ?? '127.0.0.1';
    const podIp = pod.status?.podIP ?? (pod.spec.hostNetwork ? hostIp : takeAddress(pod));
    return { hostIp, podIp, now: clock.now(), imageId: options.imageId };
  };

  const taken = new Map<string, string>();
  const takeAddress = ({ metadata }: Live<Pod>): string => {
    const address = taken.get(metadata.uid) ?? addresses.take();
    taken.set(metadata.uid, address);
    return address;
  };

  const startOf = ({ metadata, status }: Live<Pod>): number => {
    const known = startedMs.get(metadata.uid);
    if (known !== undefined) return known;
    return Date.parse(status?.containerStatuses?.[0]?.state?.running?.startedAt ?? '') || clock.now();
  };

  const note = (pod: Live<Pod>, words: { type?: 'Warning'; reason: string; message: string }, container: string) =>
    events.record(aboutPod(pod), {
      ...words,
      component,
      host: pod.spec.nodeName ?? '',
      fieldPath: `spec.containers{${container}}`,
    });

  const recordStart = (pod: Live<Pod>) => {
    for (const { name, image = '' } of pod.spec.containers) {
      const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
      note(pod, { reason: 'Pulled', message }, name);
      note(pod, { reason: 'Created', message: 'Container created' }, name);
      note(pod, { reason: 'Started', message: 'Container started' }, name);
    }
  };

  return {
    name: component,
    concurrency: 16,
    reconcile,
    subscribe: (enqueue) => [
      client.watch(podType, ({ type, object }) => {
        const pod = live<Pod>(object);
        const { uid } = pod.metadata;
        const address = pod.status?.podIP;
        if (type === 'DELETED') {
          seenMs.delete(uid);
          startedMs.delete(uid);
          addresses.release(address ?? taken.get(uid) ?? '');
          taken.delete(uid);
          return;
        }
        if (address && !pod.spec.hostNetwork) addresses.reserve(address);
        if (pod.spec.nodeName) enqueue(keyOf(object));
      }),
    ],
  };
}

/** An image was changed in place, or an ephemeral container was added. */
function needsRefresh({ spec, status }: Live<Pod>): boolean {
  const images = new Map((status?.containerStatuses ?? []).map((one) => [one.name, one.image]));
  const isChanged = spec.containers.some((container) => images.get(container.name) !== container.image);
  const added = (spec.ephemeralContainers ?? []).length - (status?.ephemeralContainerStatuses ?? []).length;
  if (isChanged || added > 0) return true;
  if ((spec.readinessGates ?? []).length === 0) return false;
  const isMarkedReady = isTrue(status?.conditions, 'Ready');
  const gates = (spec.readinessGates ?? []).every((gate) => isTrue(status?.conditions, gate.conditionType));
  return gates !== isMarkedReady;
}

const crashBackoffMs = (restarts: number) => Math.min(firstCrashBackoffMs * 2 ** restarts, lastCrashBackoffMs);
