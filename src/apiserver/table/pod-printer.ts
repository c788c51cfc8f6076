import type { ContainerState, ContainerStatus, Pod } from 'kubernetes-types/core/v1.js';
import { isTrue, type KubeObject } from '../../object/index.ts';
import { ageColumn, createdOf, nameColumn, nameOf, type Printer, printerOf, text, wide } from './printer.ts';
import type { TableRowCondition } from './types.ts';

const columns = [
  nameColumn,
  text('Ready', 'Containers that are ready, of all.'),
  text('Status', 'What the containers of the pod are doing, in one word.'),
  text('Restarts', 'How often containers were started again, and when last.'),
  ageColumn,
  wide('IP', 'Address of the pod.'),
  wide('Node', 'Node the pod was assigned to.'),
  wide('Nominated Node', 'Node on which room is being made for the pod.'),
  wide('Readiness Gates', 'Extra conditions that hold, of those the pod asks for.'),
];

const completed = (reason: string, message: string): readonly TableRowCondition[] => [
  { type: 'Completed', status: 'True', reason, message },
];
const rowConditions: Readonly<Record<string, readonly TableRowCondition[]>> = {
  Succeeded: completed('Succeeded', 'The pod has completed successfully.'),
  Failed: completed('Failed', 'The pod failed.'),
};

export const podPrinter: Printer = {
  ...printerOf<Pod>(columns, (pod, age) => {
    const summary = summarize(pod);
    const since = summary.restarts !== 0 && summary.lastRestart ? ` (${age(summary.lastRestart)} ago)` : '';
    return [
      nameOf(pod),
      `${summary.ready}/${summary.total}`,
      summary.reason,
      `${summary.restarts}${since}`,
      age(createdOf(pod)),
      pod.status?.podIPs?.[0]?.ip || '<none>',
      pod.spec?.nodeName || '<none>',
      pod.status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  }),
  conditions: (object: KubeObject) => rowConditions[(object as unknown as Pod).status?.phase ?? ''],
};

interface Summary {
  reason: string;
  ready: number;
  total: number;
  restarts: number;
  lastRestart: string;
}

function summarize(pod: Pod): Summary {
  const { spec, status } = pod;
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter((one) => one.restartPolicy === 'Always').map((one) => one.name),
  );
  const init = summarizeInit(pod, sidecars);
  const summary: Summary = {
    reason: baseReason(pod),
    ready: init.ready,
    total: (spec?.containers.length ?? 0) + sidecars.size,
    restarts: init.restarts,
    lastRestart: init.lastRestart,
  };
  if (init.reason !== undefined) summary.reason = init.reason;
  if (init.reason === undefined || isTrue(pod.status?.conditions, 'Initialized')) {
    summary.restarts = init.sidecarRestarts;
    summary.lastRestart = init.sidecarLastRestart;
    addContainers(pod, summary);
  }
  if (pod.metadata?.deletionTimestamp) {
    if (status?.reason === 'NodeLost') summary.reason = 'Unknown';
    else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') summary.reason = 'Terminating';
  }
  return summary;
}

function baseReason({ status }: Pod): string {
  const gated = status?.conditions?.some((one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated');
  if (gated) return 'SchedulingGated';
  return status?.reason || status?.phase || '';
}

/** `reason` is set when the first init container that is not done holds the pod up. */
function summarizeInit(pod: Pod, sidecars: ReadonlySet<string>) {
  const result = { ready: 0, restarts: 0, lastRestart: '', sidecarRestarts: 0, sidecarLastRestart: '' };
  const total = pod.spec?.initContainers?.length ?? 0;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const finished = container.lastState?.terminated?.finishedAt;
    result.restarts += container.restartCount;
    result.lastRestart = later(result.lastRestart, finished);
    const isSidecar = sidecars.has(container.name);
    if (isSidecar) {
      result.sidecarRestarts += container.restartCount;
      result.sidecarLastRestart = later(result.sidecarLastRestart, finished);
    }
    if (container.state?.terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) result.ready++;
      continue;
    }
    return { ...result, reason: initReason(container, index, total) };
  }
  return { ...result, reason: undefined };
}

function initReason({ state }: ContainerStatus, index: number, total: number): string {
  if (state?.terminated) return `Init:${terminationReason(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  if (waiting && waiting !== 'PodInitializing') return `Init:${waiting}`;
  return `Init:${index}/${total}`;
}

function addContainers(pod: Pod, summary: Summary): void {
  let hasRunning = false;
  let errorReason = '';
  // Backwards, so that the first container has the last word.
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    summary.restarts += container.restartCount;
    summary.lastRestart = later(summary.lastRestart, container.lastState?.terminated?.finishedAt);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) summary.reason = waiting.reason;
    else if (terminated) {
      summary.reason = terminationReason(terminated);
      if (terminated.exitCode !== 0) errorReason = summary.reason;
    } else if (container.ready && running) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason !== 'Completed') return;
  if (hasRunning && isTrue(pod.status?.conditions, 'Ready')) summary.reason = 'Running';
  else if (errorReason) summary.reason = errorReason;
  else if (hasRunning) summary.reason = 'NotReady';
}

function terminationReason(terminated: NonNullable<ContainerState['terminated']>): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function readinessGates(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  return `${gates.filter((gate) => isTrue(pod.status?.conditions, gate.conditionType)).length}/${gates.length}`;
}

// RFC 3339 in UTC with whole seconds: the order of the text is the order in time.
const later = (a: string, b: string | undefined) => (b && b > a ? b : a);
