import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tag } from '../image/index.ts';
import { createRegistryClient } from './index.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('two callers that wait for the same thing', () => {
  it('are independent when one of them aborts', async () => {
    let release = () => {};
    const isHeld = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pings = 0;
    let noteAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      noteAsked = resolve;
    });
    const server = createServer(async (request, response) => {
      if (request.url === '/v2/' && ++pings === 1) {
        noteAsked();
        await isHeld;
      }
      response.writeHead(request.url === '/v2/' ? 200 : 404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = createRegistryClient({ retryBaseMs: 1 });
    closers.push(
      () => client.close(),
      () => new Promise((resolve) => server.close(resolve)),
    );
    const repository = { registry: `127.0.0.1:${(server.address() as AddressInfo).port}`, path: 'a' };
    const stopping = new AbortController();
    const first = client.headManifest(repository, 'v1' as Tag, stopping.signal);
    const second = client.headManifest(repository, 'v1' as Tag);
    await asked;
    stopping.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    expect(await second).toBeUndefined();
    release();
  });
});
