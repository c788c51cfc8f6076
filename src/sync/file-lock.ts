import { randomUUID } from 'node:crypto';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type Clock, errorCode, errorMessage, isJsonObject, parseJson, SupercargoError } from '../base/index.ts';
import { type SyncLock, SyncLockedError } from './lock.ts';
import { isRunning, type ProcessIdentity, parseProcess } from './process-identity.ts';

export interface FileLockOptions {
  readonly path: string;
  readonly self: ProcessIdentity;
  readonly timeoutMs: number;
  /** The API server's time, because the local clock may jump. */
  readonly serverTimeMs: (signal: AbortSignal) => Promise<number>;
  readonly clock: Clock;
}

interface LockRecord extends ProcessIdentity {
  readonly nonce: string;
  readonly renewedAtMs: number;
}

/** Held only during a take-over or a release. An older guard was left by a crash. */
const guardMs = 10_000;
/** A lock file is one short line. */
const maxBytes = 4096;

/**
 * A lock file. It is created atomically (`link`). Every change to an existing one is made while holding a guard folder
 * beside it, so that two processes that find it stale cannot both take it. A file at that path that is not a lock is
 * never changed.
 */
export function createFileLock(options: FileLockOptions): SyncLock {
  const { path, self, timeoutMs, serverTimeMs, clock } = options;
  const nonce = randomUUID();
  const where = `lock file ${path}`;

  const write = (renewedAtMs: number, place: (from: string) => void) => {
    const from = `${path}.${nonce}`;
    const record: LockRecord = { ...self, nonce, renewedAtMs };
    writeFileSync(from, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    try {
      place(from);
    } finally {
      rmSync(from, { force: true });
    }
  };
  const create = (nowMs: number): boolean => {
    try {
      write(nowMs, (from) => linkSync(from, path));
      return true;
    } catch (thrown) {
      if (errorCode(thrown) === 'EEXIST') return false;
      throw new SupercargoError('sync-lock-file', `cannot write the ${where}: ${errorMessage(thrown)}`);
    }
  };
  /** Runs while no other process changes the lock; undefined if one is doing so. */
  const guarded = <T>(work: () => T): T | undefined => {
    const guard = `${path}.guard`;
    try {
      mkdirSync(guard);
    } catch (thrown) {
      if (errorCode(thrown) !== 'EEXIST') throw thrown;
      if (clock.now() - (modifiedMs(guard) ?? clock.now()) > guardMs) remove(guard);
      return undefined;
    }
    try {
      return work();
    } finally {
      remove(guard);
    }
  };
  const isOurs = () => readRecord(path)?.nonce === nonce;

  return {
    async acquire(signal) {
      const nowMs = await serverTimeMs(signal);
      signal.throwIfAborted();
      for (let attempt = 1; !create(nowMs); attempt++) {
        const record = readRecord(path);
        if (record === undefined) {
          if (!exists(path)) continue;
          throw new SupercargoError(
            'sync-lock-file',
            `${path} is not a lock file of a policy sync and is not changed; name another with LOCK_FILE, or remove it`,
          );
        }
        const ageMs = nowMs - record.renewedAtMs;
        const isDead = isRunning(record, self) === false;
        const holder = `process ${record.pid} on ${record.host}`;
        if ((!isDead && ageMs < timeoutMs) || attempt > 3) throw new SyncLockedError(holder, ageMs, where, timeoutMs);
        const isTaken = guarded(() => {
          // Another process may have taken it between the read and the guard.
          if (readRecord(path)?.nonce !== record.nonce) return false;
          write(nowMs, (from) => renameSync(from, path));
          return true;
        });
        if (isTaken) return;
      }
    },
    async renew(signal) {
      const nowMs = await serverTimeMs(signal);
      return (
        guarded(() => {
          if (!isOurs()) return false;
          write(nowMs, (from) => renameSync(from, path));
          return true;
        }) ?? isOurs()
      );
    },
    async release() {
      guarded(() => {
        if (isOurs()) rmSync(path, { force: true });
      });
    },
  };
}

/** Undefined if the file does not exist or is not our lock. */
function readRecord(path: string): LockRecord | undefined {
  try {
    // Only for a regular file is it certain that reading ends.
    const { size, isFile } = look(path);
    if (!isFile || size > maxBytes) return undefined;
    const value = parseJson(readFileSync(path, 'utf8'));
    const holder = parseProcess(value);
    if (holder === undefined || !isJsonObject(value)) return undefined;
    const { nonce, renewedAtMs } = value;
    return typeof nonce === 'string' && typeof renewedAtMs === 'number' ? { ...holder, nonce, renewedAtMs } : undefined;
  } catch {
    return undefined;
  }
}

function look(path: string): { readonly size: number; readonly isFile: boolean } {
  const stats = lstatSync(path);
  return { size: stats.size, isFile: stats.isFile() };
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

function modifiedMs(path: string): number | undefined {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
  }
}
