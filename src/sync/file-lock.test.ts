import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../base/index.ts';
import { createFileLock, type FileLockOptions } from './file-lock.ts';
import { SyncLockedError } from './lock.ts';
import { ownProcess } from './process-identity.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const self = ownProcess();
const never = new AbortController().signal;
const setUp = () => {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-lock-'));
  folders.push(folder);
  const path = join(folder, 'sync.lock');
  const lock = (more: Partial<FileLockOptions> = {}) =>
    createFileLock({
      path,
      self,
      timeoutMs: 60_000,
      serverTimeMs: async () => 1_000_000,
      clock: systemClock,
      ...more,
    });
  return { folder, path, lock };
};
/** The id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

test('one process holds the lock until it releases it, and leaves no files', async () => {
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

test('of many concurrent attempts one gets it', async () => {
  const { lock } = setUp();
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock().acquire(never)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of many that find it expired one takes it over', async () => {
  const { lock } = setUp();
  await lock({ self: { ...self, pid: deadPid() } }).acquire(never);
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock().acquire(never)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('that of another machine expires by the time of the server, whatever the local clock', async () => {
  const { lock } = setUp();
  await lock({ self: { ...self, host: 'elsewhere', pidSpace: 'elsewhere', pid: deadPid() } }).acquire(never);
  const skewed = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  await expect(lock({ clock: skewed, serverTimeMs: async () => 1_059_000 }).acquire(never)).rejects.toThrow(
    /held by process \d+ on elsewhere, last renewed 59s ago/,
  );
  await lock({ clock: skewed, serverTimeMs: async () => 1_061_000 }).acquire(never);
});

test.each([
  ['a note', '12345\n'],
  ['JSON of another program', '{"host":"h","pid":1}'],
  ['nothing', ''],
  ['a large file', 'x'.repeat(100_000)],
])('a file that holds %s is never taken for a lock, however old it is', async (_, text) => {
  const { folder, path, lock } = setUp();
  writeFileSync(path, text);
  utimesSync(path, 0, 0);
  await expect(lock().acquire(never)).rejects.toThrow(/is not a lock file of a policy sync and is not changed; name/);
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(readdirSync(folder)).toEqual(['sync.lock']);
});

test.each(['folder', 'link'])('a %s in its place is not changed', async (what) => {
  const { folder, path, lock } = setUp();
  const target = join(folder, 'precious');
  writeFileSync(target, 'precious');
  if (what === 'folder') mkdirSync(path);
  else symlinkSync(target, path);
  await expect(lock().acquire(never)).rejects.toThrow(/is not a lock file/);
  expect(readFileSync(target, 'utf8')).toBe('precious');
});

test('that of an earlier process with the same id is taken over at once', async () => {
  const { lock } = setUp();
  await lock({ self: { ...self, startTime: '1' } }).acquire(never);
  await lock().acquire(never);
});

test('a missing folder is one line of error', async () => {
  const { folder, lock } = setUp();
  const path = join(folder, 'absent', 'sync.lock');
  await expect(lock({ path }).acquire(never)).rejects.toThrow(/cannot write the lock file/);
  expect(existsSync(path)).toBe(false);
});
