import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isJsonObject, isProcessRunning, type Json, processStartTime } from '../base/index.ts';

/** Identifies the process that holds a lock, so that another can find out whether it still runs. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** The scope of process ids: the kernel's boot id and PID namespace; the host name if there are none. */
  readonly pidSpace: string;
  /** The start time of the process in kernel ticks: ids are reused, in a container at once. */
  readonly startTime: string;
  /** `namespace/name` and UID of the pod, if it runs in one. */
  readonly pod?: PodIdentity;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function ownProcess(pid: number = process.pid): ProcessIdentity {
  const host = hostname();
  return { host, pid, pidSpace: ownPidSpace() ?? `host ${host}`, startTime: processStartTime(pid) ?? '' };
}

/** Undefined if it cannot be determined from here. */
export function isRunning(holder: ProcessIdentity, self: ProcessIdentity): boolean | undefined {
  if (holder.pidSpace !== self.pidSpace) {
    // Only one container of a pod syncs. After a restart it has another PID namespace, and the earlier process has
    // ended.
    const isEarlierContainer = holder.pod !== undefined && holder.pod.uid === self.pod?.uid;
    return isEarlierContainer ? false : undefined;
  }
  if (!isProcessRunning(holder.pid)) return false;
  const startTime = processStartTime(holder.pid);
  return startTime === undefined || holder.startTime === '' || startTime === holder.startTime;
}

export function parseProcess(value: Json | undefined): ProcessIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const { host, pid, pidSpace, startTime, pod } = value;
  if (typeof host !== 'string' || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (typeof pidSpace !== 'string' || typeof startTime !== 'string') return undefined;
  const process = { host, pid, pidSpace, startTime };
  if (!isJsonObject(pod)) return process;
  const { namespace, name, uid } = pod;
  if (typeof namespace !== 'string' || typeof name !== 'string' || typeof uid !== 'string') return process;
  return { ...process, pod: { namespace, name, uid } };
}

function ownPidSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
