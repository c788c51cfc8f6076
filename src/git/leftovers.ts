import { randomUUID } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessRunning } from '../base/index.ts';

/** Distinguishes this process from an earlier one with the same pid: in a container every process has pid 1. */
const token = randomUUID().slice(0, 8);
const ours = /^supercargo-(?:git|repositories)-(?<pid>\d+)-(?<token>[0-9a-f]{8})-/;

/** Name prefix of directories that are removed with this process. */
export const ownPrefix = (kind: 'git' | 'repositories'): string => `supercargo-${kind}-${process.pid}-${token}-`;

/** Removes directories that killed processes of this user left in the temporary directory. */
export async function removeLeftovers(temporaryDir: string): Promise<readonly string[]> {
  const names = await readdir(temporaryDir).catch(() => []);
  const removed: string[] = [];
  for (const name of names) {
    const { pid, token: other } = ours.exec(name)?.groups ?? {};
    if (pid === undefined || other === token) continue;
    if (Number(pid) !== process.pid && isProcessRunning(Number(pid))) continue;
    const path = join(temporaryDir, name);
    // Never through a symbolic link, and never a directory of another user.
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}
