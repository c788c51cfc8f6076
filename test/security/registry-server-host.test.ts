import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';

let server: RegistryServer;
beforeAll(async () => {
  server = await startRegistryServer();
});
afterAll(() => server.stop());

const ask = (headers: Record<string, string>, method = 'GET', path = '/v2/') =>
  new Promise<number | undefined>((resolve, reject) =>
    request({ host: '127.0.0.1', port: server.port, path, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end(),
  );

it.each(['127.0.0.1', '127.0.0.1:9', 'localhost', 'LOCALHOST:80', 'registry.localhost:5000', '[::1]:5000'])(
  'the embedded registry answers a request for %s',
  async (host) => expect(await ask({ host })).toBe(200),
);

it.each([
  'attacker.example',
  'attacker.example:5000',
  '127.0.0.1.attacker.example',
  'localhost.attacker.example',
  'user@127.0.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '[::]',
])('the embedded registry refuses the Host %j of a page that rebinds its name', async (host) =>
  expect(await ask({ host })).not.toBe(200),
);

it('the embedded registry refuses an upload that a page of another origin begins', async () => {
  const headers = { host: server.host, 'content-length': '0' };
  expect(await ask({ ...headers, origin: 'https://attacker.example' }, 'POST', '/v2/a/b/blobs/uploads/')).toBe(403);
  expect(await ask({ ...headers, origin: 'null' }, 'POST', '/v2/a/b/blobs/uploads/')).toBe(403);
  expect(await ask(headers, 'POST', '/v2/a/b/blobs/uploads/')).toBe(202);
});
