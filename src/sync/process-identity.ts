import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isJsonObject, isProcessRunning, type Json, processStartTime } from '../base/index.ts';

/** Which process holds a lock, precise enough to find out later whether it still runs. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Where process ids are unique: the kernel's boot and its PID namespace; the host name where there are none. */
  readonly pidSpace: string;
  /** When the process started, as the kernel counts: ids are used again, in a container at once. */
  readonly startTime: string;
  /** `namespace/name` and UID of the pod, where it runs in one. */
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

/** Undefined when it cannot be known from here. */
export function isRunning(holder: ProcessIdentity, self: ProcessIdentity): boolean | undefined {
  if (holder.pidSpace !== self.pidSpace) {
    // One container of a pod syncs; it has another PID namespace after a restart, and then the earlier one has ended.
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
