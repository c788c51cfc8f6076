import { readdirSync, readFileSync } from 'node:fs';

/** The process of a pod of the real node, as this machine sees it. */
export interface PodProcess {
  readonly pid: number;
  /** The fields of `/proc/<pid>/status`. */
  readonly status: Readonly<Record<string, string>>;
  /** The root of the container, through which this machine reaches its files. */
  readonly root: string;
}

/** The process with these words on its command line, in a pod. Undefined while none runs. */
export function findPodProcess(uid: string, words: string): PodProcess | undefined {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (!readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`pod${uid}/`)) continue;
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words)) continue;
      const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
      const status = Object.fromEntries(lines.map((line) => line.split(':').map((part) => part.trim())));
      return { pid: Number(pid), status, root: `/proc/${pid}/root` };
    } catch {
      // It ended in the meantime.
    }
  return undefined;
}
