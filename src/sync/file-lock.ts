import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type Clock, errorCode, errorMessage, isJsonObject, parseJson, SupercargoError } from '../base/index.ts';
import { type SyncLock, SyncLockedError } from './lock.ts';

export interface FileLockOptions {
  readonly path: string;
  readonly host: string;
  readonly pid: number;
  readonly timeoutMs: number;
  /** The API server's time; the machine's own may jump. */
  readonly serverTimeMs: (signal: AbortSignal) => Promise<number>;
  readonly clock: Clock;
}

interface LockRecord {
  readonly host: string;
  readonly pid: number;
  readonly nonce: string;
  readonly renewedAtMs: number;
}

/** Held only for the moment of a take-over or a release; an older one was left by a crash in that moment. */
const guardMs = 10_000;

/**
 * A lock that is a file. It appears whole or not at all (`link`), and every change to one that exists is made while
 * holding a guard folder beside it, so that two who find it stale cannot both take it.
 */
export function createFileLock(options: FileLockOptions): SyncLock {
  const { path, host, pid, timeoutMs, serverTimeMs, clock } = options;
  const nonce = randomUUID();
  const where = `lock file ${path}`;

  const write = (renewedAtMs: number, place: (from: string) => void) => {
    const from = `${path}.${nonce}`;
    const record: LockRecord = { host, pid, nonce, renewedAtMs };
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
  /** Runs while no other process changes the lock; undefined when one does just now. */
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
        const modified = modifiedMs(path);
        if (modified === undefined) continue;
        const ageMs = record ? nowMs - record.renewedAtMs : clock.now() - modified;
        const isDead = record?.host === host && !isAlive(record.pid);
        const holder = record ? `process ${record.pid} on ${record.host}` : 'an unknown process';
        if ((!isDead && ageMs < timeoutMs) || attempt > 3) throw new SyncLockedError(holder, ageMs, where, timeoutMs);
        const isTaken = guarded(() => {
          // Somebody may have been faster between the look and the guard.
          if (readRecord(path)?.nonce !== record?.nonce) return false;
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

function readRecord(path: string): LockRecord | undefined {
  try {
    const value = parseJson(readFileSync(path, 'utf8'));
    if (!isJsonObject(value)) return undefined;
    const { host, pid, nonce, renewedAtMs } = value;
    const isRecord =
      typeof host === 'string' &&
      typeof pid === 'number' &&
      typeof nonce === 'string' &&
      typeof renewedAtMs === 'number';
    return isRecord ? { host, pid, nonce, renewedAtMs } : undefined;
  } catch {
    // Gone, or written by something else: then only its age counts.
    return undefined;
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It is there, but belongs to another user.
    return errorCode(thrown) === 'EPERM';
  }
}
