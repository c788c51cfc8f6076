import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../src/git/index.ts';
import { hasGit } from '../support/git-server.ts';

const commit = 'a'.repeat(40);
const line = (text: string | Buffer) => {
  const body = Buffer.from(text as string);
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body]);
};

/** A pack with one blob of a terabyte, in blocks that are stored as they are. */
const packStart = Buffer.concat([
  Buffer.from('PACK\0\0\0\x02\0\0\x0f\xff', 'latin1'),
  Buffer.from([0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0x78, 0x01]),
]);
const block = Buffer.concat([Buffer.from([0, 0x00, 0x80, 0xff, 0x7f]), Buffer.alloc(0x8000, 1)]);

/** At most so much is ever sent, should nobody stop it. */
const bound = 400 * 1_048_576;

async function startHostileServer() {
  let sent = 0;
  // At most 100 MiB/s, and the event loop turns after each mebibyte: the program under test runs in this process, too.
  const stream = async (response: ServerResponse) => {
    while (sent < bound && !response.destroyed) {
      for (let blocks = 0; blocks < 32; blocks++) {
        sent += block.length;
        response.write(line(Buffer.concat([Buffer.from([1]), block])));
      }
      await sleep(10);
      if (response.writableNeedDrain) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      const capabilities = 'side-band-64k shallow filter allow-tip-sha1-in-want ofs-delta agent=x';
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' });
      response.write(line('# service=git-upload-pack\n'));
      response.write('0000');
      response.write(line(`${commit} HEAD\0${capabilities} symref=HEAD:refs/heads/main\n`));
      response.write(line(`${commit} refs/heads/main\n`));
      response.end('0000');
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' });
      response.write(line(`shallow ${commit}\n`));
      response.write('0000');
      // The first request of a shallow fetch asks for the boundary alone.
      if (!body.includes('0009done')) {
        response.end();
        return;
      }
      response.write(line('NAK\n'));
      response.write(line(Buffer.concat([Buffer.from([1]), packStart])));
      void stream(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/r.git`,
    sent: () => sent,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.skipIf(!hasGit())('a Git server that never stops sending', () => {
  it('is stopped at the limit of the copy, and leaves nothing on the disk', async () => {
    const server = await startHostileServer();
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-endless-'));
    try {
      const git = createGit({
        cacheDir: join(dir, 'cache'),
        temporaryDir: dir,
        path: process.env['PATH'] ?? '',
        maxRepositoryBytes: 8 * 1_048_576,
      });
      const failure = git.read({ url: server.url, branch: 'main' }, '', async () => {}, new AbortController().signal);
      await expect(failure).rejects.toMatchObject({ code: 'git-repository-too-large' });
      expect(server.sent()).toBeLessThan(bound);
      expect(readdirSync(join(dir, 'cache'))).toEqual([]);
      expect(readdirSync(dir)).toEqual(['cache']);
    } finally {
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('is stopped at the limit of all copies, and costs no other repository its copy in use', async () => {
    const servers = [await startHostileServer(), await startHostileServer(), await startHostileServer()];
    const dir = mkdtempSync(join(tmpdir(), 'supercargo-endless-'));
    try {
      const git = createGit({
        cacheDir: join(dir, 'cache'),
        temporaryDir: dir,
        path: process.env['PATH'] ?? '',
        maxRepositoryBytes: 1024 * 1_048_576,
        maxCacheBytes: 16 * 1_048_576,
      });
      const reads = servers.map(({ url }) =>
        git.read({ url, branch: 'main' }, '', async () => {}, new AbortController().signal),
      );
      for (const read of await Promise.allSettled(reads))
        expect(read).toMatchObject({ status: 'rejected', reason: { code: 'git-repository-too-large' } });
      for (const server of servers) expect(server.sent()).toBeLessThan(bound);
      expect(readdirSync(join(dir, 'cache'))).toEqual([]);
    } finally {
      await Promise.all(servers.map((server) => server.close()));
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
