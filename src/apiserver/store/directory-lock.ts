import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, isProcessRunning, processStartTime, SupercargoError } from '../../base/index.ts';

export class DirectoryLockError extends SupercargoError {}

/**
 * Locks a directory for this process, so that no two processes write the same log. Returns a function that releases the
 * lock. The lock of a killed process is taken over.
 */
export function lockDirectory(dir: string): () => void {
  const file = join(dir, 'lock');
  for (;;) {
    try {
      writeFileSync(file, renderOwner(process.pid), { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
    }
    const owner = readOwner(file);
    if (owner !== undefined && isRunning(owner))
      throw new DirectoryLockError(
        'directory-locked',
        `${dir} is in use by process ${owner.split(' ')[0]}; stop that one, or name another directory`,
      );
    rmSync(file, { force: true });
  }
}

/** The pid and the start time of the process, where available: pids are reused. */
const renderOwner = (pid: number) => `${pid} ${processStartTime(pid) ?? ''}`.trimEnd();

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function isRunning(owner: string): boolean {
  const [pid = 0, start] = owner.split(' ').map(Number);
  // A lock with our own pid was left by an earlier process: in a container every process has pid 1.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  const now = processStartTime(pid);
  return isProcessRunning(pid) && (start === undefined || now === undefined || start === Number(now));
}
