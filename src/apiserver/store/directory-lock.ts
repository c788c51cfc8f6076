import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, SupercargoError } from '../../base/index.ts';

export class DirectoryLockError extends SupercargoError {}

/**
 * Claims a directory for this process, so that no two write the same log; returns the way to give it back.
 * The claim of a process that was killed is taken over.
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

/** The process and the moment it began, where the system tells: numbers of processes come back. */
const renderOwner = (pid: number) => `${pid} ${startOf(pid) ?? ''}`.trimEnd();

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
  // A lock of our own number was left by an earlier process: in a container every one is number 1.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (errorCode(thrown) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return start === undefined || now === undefined || start === now;
}

function startOf(pid: number): number | undefined {
  try {
    // proc(5): the 22nd field, counted after the name, which may itself hold spaces and parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    // Not Linux, or gone meanwhile: then the number alone must do.
    return undefined;
  }
}
