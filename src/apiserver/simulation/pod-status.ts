import { createHash } from 'node:crypto';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from 'kubernetes-types/core/v1.js';
import { rfc3339 } from '../../base/index.ts';
import { isTrue, withCondition } from '../../object/index.ts';
import { madeUpImageId } from './options.ts';
import type { Live } from './types.ts';

export interface Placement {
  readonly podIp: string;
  readonly hostIp: string;
  readonly now: number;
  readonly imageId: (image: string) => string | undefined;
}

type Flag = 'True' | 'False';
interface ConditionWords {
  readonly status: Flag;
  readonly reason?: string;
  readonly message?: string;
}

/** Assigned, and its containers are being created. */
export function creatingStatus(pod: Live<Pod>, { hostIp, now, imageId }: Placement): PodStatus {
  const waiting: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  const unready = notReady(pod.spec.containers.map((container) => container.name));
  return {
    ...pod.status,
    ...observed(pod),
    phase: 'Pending',
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }] as PodStatus['hostIPs'] & {},
    startTime: pod.status?.startTime ?? rfc3339(now),
    conditions: conditionsOf(pod, now, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: { status: 'True' },
      Ready: unready,
      ContainersReady: unready,
      PodScheduled: { status: 'True' },
    }),
    containerStatuses: pod.spec.containers.map((container) => ({
      ...describe(pod, container, imageId),
      ready: false,
      started: false,
      restartCount: 0,
      state: waiting,
    })),
  };
}

/** All containers run; `restarts` is how often each was started before. */
export function runningStatus(pod: Live<Pod>, place: Placement): PodStatus {
  const { podIp, hostIp, now, imageId } = place;
  const at = rfc3339(now);
  const gate = unmetGates(pod);
  const ephemeral = pod.spec.ephemeralContainers ?? [];
  return {
    ...pod.status,
    ...observed(pod),
    phase: 'Running',
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }] as PodStatus['hostIPs'] & {},
    podIP: podIp,
    podIPs: [{ ip: podIp }],
    startTime: pod.status?.startTime ?? at,
    conditions: conditionsOf(pod, now, {
      PodReadyToStartContainers: { status: 'True' },
      Initialized: { status: 'True' },
      Ready: gate ? { status: 'False', reason: 'ReadinessGatesNotReady', message: gate } : { status: 'True' },
      ContainersReady: { status: 'True' },
      PodScheduled: { status: 'True' },
    }),
    ...initStatuses(pod, at, imageId),
    containerStatuses: pod.spec.containers.map((container) => runContainer(pod, container, at, imageId)),
    ...(ephemeral.length > 0
      ? {
          ephemeralContainerStatuses: ephemeral.map((container) => ({
            ...describe(pod, container as Container, imageId),
            ready: false,
            restartCount: 0,
            state: { running: { startedAt: at } },
          })),
        }
      : {}),
  };
}

function runContainer(
  pod: Live<Pod>,
  container: Container,
  at: string,
  imageId: Placement['imageId'],
): ContainerStatus {
  const before = pod.status?.containerStatuses?.find((one) => one.name === container.name);
  const same = before?.state?.running && before.image === container.image;
  if (same) return { ...before, ready: true, started: true };
  const wasStarted = before !== undefined && before.state?.waiting?.reason !== 'ContainerCreating';
  const restartCount = wasStarted ? before.restartCount + 1 : 0;
  const ended = before?.state?.running
    ? terminated(before, 0, at)
    : (before?.state?.terminated ?? before?.lastState?.terminated);
  return {
    ...describe(pod, container, imageId, restartCount),
    ready: true,
    started: true,
    restartCount,
    state: { running: { startedAt: at } },
    lastState: ended ? { terminated: ended } : {},
  };
}

/** Every container has ended and does not restart. */
export function endedStatus(pod: Live<Pod>, exitCode: number, now: number): PodStatus {
  const at = rfc3339(now);
  const reason = exitCode === 0 ? 'PodCompleted' : 'PodFailed';
  return {
    ...pod.status,
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: conditionsOf(pod, now, {
      PodReadyToStartContainers: { status: 'False' },
      Initialized: exitCode === 0 ? { status: 'True', reason } : { status: 'True' },
      Ready: { status: 'False', reason },
      ContainersReady: { status: 'False', reason },
    }),
    containerStatuses: (pod.status?.containerStatuses ?? []).map((container) => ({
      ...container,
      ready: false,
      started: false,
      state: { terminated: terminated(container, exitCode, at) },
    })),
  };
}

/** Every container has ended and waits to be restarted. */
export function crashedStatus(pod: Live<Pod>, exitCode: number, now: number, backoffMs: number): PodStatus {
  const at = rfc3339(now);
  const unready = notReady(pod.spec.containers.map((container) => container.name));
  const seconds =
    backoffMs < 60_000 ? `${backoffMs / 1000}s` : `${Math.floor(backoffMs / 60_000)}m${(backoffMs / 1000) % 60}s`;
  return {
    ...pod.status,
    conditions: conditionsOf(pod, now, { Ready: unready, ContainersReady: unready }),
    containerStatuses: (pod.status?.containerStatuses ?? []).map((container) => ({
      ...container,
      ready: false,
      started: false,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off ${seconds} restarting failed container=${container.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`,
        },
      },
      lastState: { terminated: terminated(container, exitCode, at) },
    })),
  };
}

/** The scheduler's condition for a pod that it could not place. */
export function unscheduledStatus(pod: Live<Pod>, reason: string, message: string, now: number): PodStatus {
  const PodScheduled = { status: 'False' as const, reason, message };
  return { ...pod.status, phase: 'Pending', conditions: conditionsOf(pod, now, { PodScheduled }) };
}

function initStatuses(pod: Live<Pod>, at: string, imageId: Placement['imageId']) {
  const containers = pod.spec.initContainers ?? [];
  if (containers.length === 0) return {};
  return {
    initContainerStatuses: containers.map((container): ContainerStatus => {
      const before = pod.status?.initContainerStatuses?.find((one) => one.name === container.name);
      if (before?.state?.terminated || before?.state?.running) return before;
      const described = { ...describe(pod, container, imageId), ready: true, restartCount: 0, lastState: {} };
      if (container.restartPolicy === 'Always')
        return { ...described, started: true, state: { running: { startedAt: at } } };
      const ended = {
        exitCode: 0,
        reason: 'Completed',
        startedAt: at,
        finishedAt: at,
        containerID: described.containerID,
      };
      return { ...described, started: false, state: { terminated: ended } };
    }),
  };
}

function terminated(
  container: ContainerStatus,
  exitCode: number,
  at: string,
): NonNullable<ContainerState['terminated']> {
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    startedAt: container.state?.running?.startedAt ?? at,
    finishedAt: at,
    ...(container.containerID ? { containerID: container.containerID } : {}),
  };
}

function describe(pod: Live<Pod>, { name, image = '' }: Container, imageId: Placement['imageId'], restartCount = 0) {
  const id = createHash('sha256').update(`${pod.metadata.uid}/${name}/${restartCount}`).digest('hex');
  return { name, image, imageID: imageId(image) ?? madeUpImageId(image), containerID: `containerd://${id}` };
}

function notReady(names: readonly string[]): ConditionWords {
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names.join(' ')}]`,
  };
}

function unmetGates({ spec, status }: Live<Pod>): string | undefined {
  const unmet = (spec.readinessGates ?? []).filter((gate) => !isTrue(status?.conditions, gate.conditionType));
  if (unmet.length === 0) return undefined;
  return unmet
    .map((gate) => `corresponding condition of pod readiness gate "${gate.conditionType}" does not exist.`)
    .join(', ');
}

function conditionsOf(pod: Live<Pod>, now: number, words: Readonly<Record<string, ConditionWords>>): PodCondition[] {
  let list = pod.status?.conditions ?? [];
  for (const [type, one] of Object.entries(words)) {
    list = withCondition<PodCondition>(list, {
      type,
      ...observed(pod),
      ...one,
      lastProbeTime: null as unknown as string,
      lastTransitionTime: rfc3339(now),
    } as PodCondition);
  }
  return list;
}

const observed = ({ metadata }: Live<Pod>) =>
  metadata.generation === undefined ? {} : { observedGeneration: metadata.generation };
