import { readFileSync } from 'node:fs';
import { errorCode } from './errors.ts';

/** True while the process runs. A zombie has ended: its parent has not asked for its exit code yet. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // It is there, but belongs to another user.
    if (errorCode(thrown) !== 'EPERM') return false;
  }
  return statOf(pid)?.state !== 'Z';
}

/** When a process started, as the kernel counts: ids are used again. Undefined where the system does not tell. */
export function processStartTime(pid: number): string | undefined {
  return statOf(pid)?.startTime;
}

/** Of proc(5) `stat`; the name before the state may hold spaces and parentheses. */
function statOf(
  pid: number,
): { readonly state: string | undefined; readonly startTime: string | undefined } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], startTime: fields[19] };
  } catch {
    return undefined;
  }
}
