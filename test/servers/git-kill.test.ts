import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { removeLeftovers } from '../../src/git/index.ts';
import { createBareRepository, hasGit } from '../support/git-server.ts';
import { findSshd, hasSsh, startSshServer } from '../support/ssh-server.ts';

const program = fileURLToPath(new URL('./git-kill-process.ts', import.meta.url));
const sshd = findSshd();

/** The text of every file below a folder. */
function textBelow(dir: string): string {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

describe.skipIf(!hasGit() || !hasSsh() || sshd === undefined)('kill -9 while git works over ssh', () => {
  it('leaves no key and no passphrase behind, and the next start removes the rest', async () => {
    const server = await startSshServer(sshd!);
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-kill-'));
    const settings = mkdtempSync(join(tmpdir(), 'supercargo-kill-settings-'));
    try {
      const repository = join(settings, 'r.git');
      createBareRepository(repository);
      const auth = {
        kind: 'ssh',
        privateKey: server.lockedKey,
        passphrase: server.passphrase,
        knownHosts: server.knownHosts,
      };
      const url = `ssh://${server.user}@127.0.0.1:${server.port}${repository}`;
      writeFileSync(join(settings, 'remote.json'), JSON.stringify({ url, branch: 'main', auth }));
      const child = spawn(process.execPath, ['--import', 'tsx', program, join(settings, 'remote.json'), dir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await new Promise<void>((resolve, reject) => {
        child.stdout.once('data', () => resolve());
        void ended.then(() => reject(new Error('the process ended by itself')));
      });
      child.kill('SIGKILL');
      await ended;
      const left = textBelow(dir);
      expect(left).not.toContain(server.passphrase);
      expect(left).not.toContain('PRIVATE KEY');
      expect(left).toContain('StrictHostKeyChecking yes');
      expect(await removeLeftovers(dir)).toHaveLength(1);
      expect(readdirSync(dir)).toEqual(['cache']);
    } finally {
      await server.close();
      rmSync(dir, { recursive: true, force: true });
      rmSync(settings, { recursive: true, force: true });
    }
  });

  it('leaves folders of processes that live, and of others, alone', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-kill-'));
    try {
      for (const name of [`supercargo-git-${process.ppid}-00000000-a`, 'supercargo-git-other', 'other'])
        mkdtempSync(join(dir, name));
      expect(await removeLeftovers(dir)).toEqual([]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
