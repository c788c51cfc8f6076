import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AddressPolicy } from '../../src/base/index.ts';
import { checkRemote, createGit, type GitRemote } from '../../src/git/index.ts';
import { createBareRepository, hasGit, startGitServer } from '../support/git-server.ts';

const dir = mkdtempSync(join(tmpdir(), 'supercargo-address-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const git = (addresses: AddressPolicy) =>
  createGit({ cacheDir: join(dir, 'cache'), temporaryDir: dir, path: process.env['PATH'] ?? '', addresses });
const read = async (url: string, addresses: AddressPolicy = {}) =>
  git(addresses).read({ url, branch: 'main' }, '', async () => 'read', new AbortController().signal);

const key = '-----BEGIN OPENSSH PRIVATE KEY-----';
const ssh = (url: string): GitRemote => ({
  url,
  branch: 'main',
  auth: { kind: 'ssh', privateKey: key, knownHosts: 'h x' },
});

it.each([
  'ssh://-oProxyCommand=touch/x',
  'ssh://%2doProxyCommand=touch/x',
  'ssh://git@-oProxyCommand=touch/x',
  'ssh://-oProxyCommand=touch@host/x',
  'ssh://host/-x',
  'git@-oProxyCommand:x',
  'git@host:-x',
  '-oProxyCommand=x',
  'ext::sh -c id',
])('%s is refused before git sees it', (url) => {
  expect(() => checkRemote(ssh(url))).toThrow('the repository address');
});

it.each([
  'http://127.0.0.1:1/r.git',
  'http://[::1]:1/r.git',
  'http://localhost:1/r.git',
  'http://2130706433:1/r.git',
  'http://169.254.169.254/r.git',
  'http://[::ffff:169.254.169.254]/r.git',
  'http://0.0.0.0:1/r.git',
])('%s is not connected to', async (url) => {
  await expect(read(url)).rejects.toMatchObject({ code: 'git-address-refused' });
});

describe.skipIf(!hasGit())('a Git server on loopback', () => {
  it.each(['\\@', '%5c@', '#@', '?@', ';@'])(
    'is not reached by an address that git reads otherwise than we do: %s',
    async (trick) => {
      const server = await startGitServer();
      try {
        createBareRepository(join(server.root, 'r.git'));
        let asked = 0;
        server.intercept = () => {
          asked++;
          return false;
        };
        // The first host may be connected to, the second may not.
        const url = `http://10.255.255.1:9${trick}${new URL(server.url).host}/r.git`;
        await expect(read(url)).rejects.toThrow('the repository address');
        expect(asked).toBe(0);
      } finally {
        await server.close();
      }
    },
  );

  it('is read where its host is configured, with its port alone', async () => {
    const server = await startGitServer();
    try {
      createBareRepository(join(server.root, 'r.git'));
      const { host } = new URL(server.url);
      const isConfiguredHost = (name: string) => name === host;
      expect(await read(`${server.url}/r.git`, { isConfiguredHost })).toBe('read');
      await expect(read('http://127.0.0.1:1/r.git', { isConfiguredHost })).rejects.toMatchObject({
        code: 'git-address-refused',
      });
    } finally {
      await server.close();
    }
  });

  it('is read where loopback is allowed, by the name that was resolved, and its redirects are not followed', async () => {
    const server = await startGitServer();
    try {
      createBareRepository(join(server.root, 'r.git'));
      const url = `${server.url.replace('127.0.0.1', 'localhost')}/r.git`;
      expect(await read(url, { allowLoopback: true })).toBe('read');
      let redirected = 0;
      server.intercept = (request, response) => {
        if (request.url?.startsWith('/r.git')) {
          response.writeHead(302, { Location: `${server.url}/metadata${request.url}` }).end();
          return true;
        }
        redirected++;
        return false;
      };
      await expect(read(url, { allowLoopback: true })).rejects.toThrow();
      expect(redirected).toBe(0);
    } finally {
      await server.close();
    }
  });
});
