import { readFileSync } from 'node:fs';
import { errorCode } from './errors.ts';

/** True while the process runs. A zombie has ended: its parent has not read its exit code yet. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // It exists, but belongs to another user.
    if (errorCode(thrown) !== 'EPERM') return false;
  }
  return statOf(pid)?.state !== 'Z';
}

/**
 * The start time of a process in the kernel's units, because process ids are reused. Undefined where the system does
 * not provide it.
 */
export function processStartTime(pid: number): string | undefined {
  return statOf(pid)?.startTime;
}

/** From proc(5) `stat`; the name before the state may contain spaces and parentheses. */
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
