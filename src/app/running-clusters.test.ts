import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocalFolder } from './local-folder.ts';
import { findRunningCluster, ownKubeconfig, removeIfEmpty, removeLeftOvers } from './running-clusters.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'supercargo-local-'));
  folder = openLocalFolder({ env: {}, temporaryDir: root });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, mtime = 1000) => {
  writeFileSync(path, '');
  utimesSync(path, mtime, mtime);
  return path;
};

it('finds the newest cluster whose process runs', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const gone = new Promise((resolve) => other.once('exit', resolve));
  const older = write(ownKubeconfig(folder), 1000);
  const newer = write(join(folder, `kubeconfig-${other.pid}`), 2000);
  write(join(folder, `kubeconfig-${2 ** 30}`), 3000);
  write(join(folder, 'kubeconfig'), 4000);
  expect(findRunningCluster({ env: {}, temporaryDir: root })).toBe(newer);
  other.kill('SIGKILL');
  await gone;
  expect(findRunningCluster({ env: {}, temporaryDir: root })).toBe(older);
  removeLeftOvers(folder);
  expect([older, newer].map((file) => existsSync(file))).toEqual([true, false]);
});

it.skipIf(!existsSync('/proc/self/stat'))('passes over a process that has the id of one that was killed', () => {
  write(join(folder, `kubeconfig-${process.pid}-1`));
  expect(findRunningCluster({ env: {}, temporaryDir: root })).toBeUndefined();
});

it('removes the folder when it is empty', () => {
  const file = write(ownKubeconfig(folder));
  removeIfEmpty(folder);
  expect(existsSync(folder)).toBe(true);
  rmSync(file);
  removeIfEmpty(folder);
  removeIfEmpty(folder);
  expect(existsSync(folder)).toBe(false);
});
