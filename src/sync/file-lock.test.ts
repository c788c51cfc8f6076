import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import { createFileLock, type FileLockOptions } from './file-lock.ts';
import { SyncLockedError } from './lock.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const never = new AbortController().signal;
const setUp = () => {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-lock-'));
  folders.push(folder);
  const path = join(folder, 'sync.lock');
  const lock = (more: Partial<FileLockOptions> = {}) =>
    createFileLock({
      path,
      host: hostname(),
      pid: process.pid,
      timeoutMs: 60_000,
      serverTimeMs: async () => 1_000_000,
      clock: systemClock,
      ...more,
    });
  return { folder, path, lock };
};
/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('one process has the lock until it gives it back, and leaves nothing behind', async () => {
  const { folder, lock } = setUp();
  const [first, second] = [lock(), lock()];
  await first.acquire(never);
  await expect(second.acquire(never)).rejects.toThrow(SyncLockedError);
  expect(await first.renew(never)).toBe(true);
  await first.release(never);
  await second.acquire(never);
  expect(await first.renew(never)).toBe(false);
  await first.release(never);
  await expect(lock().acquire(never)).rejects.toThrow(/held by process/);
  await second.release(never);
  expect(readdirSync(folder)).toEqual([]);
});

test('of many that come at once one gets it', async () => {
  const { lock } = setUp();
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock().acquire(never)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of many that find it stale one takes it over', async () => {
  const { lock } = setUp();
  await lock({ pid: deadPid() }).acquire(never);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock().acquire(never)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('that of another machine is respected for its time by the server, whatever this machine thinks', async () => {
  const { lock } = setUp();
  await lock({ host: 'elsewhere', pid: deadPid() }).acquire(never);
  const skewed = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  await expect(lock({ clock: skewed, serverTimeMs: async () => 1_059_000 }).acquire(never)).rejects.toThrow(
    /held by process \d+ on elsewhere, last heard of 59s ago/,
  );
  await lock({ clock: skewed, serverTimeMs: async () => 1_061_000 }).acquire(never);
});

test('a file that something else wrote counts by its age', async () => {
  const { path, lock } = setUp();
  writeFileSync(path, '12345\n');
  await expect(lock().acquire(never)).rejects.toThrow(/an unknown process/);
  utimesSync(path, 0, 0);
  await lock().acquire(never);
  expect(readFileSync(path, 'utf8')).toContain(`"pid":${process.pid}`);
});

test('a folder that is not there is told in one line', async () => {
  const { folder, lock } = setUp();
  const path = join(folder, 'absent', 'sync.lock');
  await expect(lock({ path }).acquire(never)).rejects.toThrow(/cannot write the lock file/);
  expect(existsSync(path)).toBe(false);
});
