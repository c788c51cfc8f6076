import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../base/index.ts';

export interface SecretFile {
  /** The path by which a child process of the same user reads the text while this process lives. */
  readonly path: string;
  close(): void;
}

const memoryDir = '/dev/shm';

/**
 * A text that other processes read by path and that disappears with this process, even after SIGKILL: the file is
 * unlinked before anything is written to it, and is read through our open descriptor. It is in memory where the system
 * has /dev/shm. Undefined where descriptors have no path (systems without /proc).
 */
export function openSecretFile(text: string, temporaryDir: string): SecretFile | undefined {
  if (process.platform !== 'linux') return undefined;
  const fd = openUnnamed(memoryDir) ?? openUnnamed(temporaryDir);
  if (fd === undefined) return undefined;
  writeSync(fd, text);
  return { path: `/proc/${process.pid}/fd/${fd}`, close: () => closeSync(fd) };
}

function openUnnamed(dir: string): number | undefined {
  const path = join(dir, `supercargo-${randomUUID()}`);
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    unlinkSync(path);
    return fd;
  } catch (thrown) {
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(`${errorCode(thrown)}`)) return undefined;
    throw thrown;
  }
}
