import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DirectoryLockError, lockDirectory } from './directory-lock.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'supercargo-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const file = () => join(dir, 'lock');

it('is released', () => {
  const unlock = lockDirectory(dir);
  expect(readFileSync(file(), 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
  unlock();
  expect(existsSync(file())).toBe(false);
});

it('is refused while its owner lives, with the owner in the error, and taken over afterwards', async () => {
  const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const gone = new Promise((resolve) => owner.once('exit', resolve));
  try {
    writeFileSync(file(), String(owner.pid));
    expect(() => lockDirectory(dir)).toThrow(DirectoryLockError);
    expect(() => lockDirectory(dir)).toThrow(`${dir} is in use by process ${owner.pid}; stop that one`);
  } finally {
    owner.kill('SIGKILL');
  }
  await gone;
  lockDirectory(dir)();
});

it.skipIf(!existsSync('/proc/self/stat'))(
  'is taken over when another process has the number of the one that was killed (needs /proc)',
  () => {
    writeFileSync(file(), `${process.ppid} 1`);
    lockDirectory(dir)();
  },
);

it.each(['', 'garbage', '0', String(process.pid)])('is taken over when it says %j', (text) => {
  writeFileSync(file(), text);
  lockDirectory(dir)();
});
