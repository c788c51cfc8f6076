import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { digestOf, parseReference, type Tag } from '../../src/image/index.ts';
import { createCopier, createRegistryClient, type RegistryClientOptions } from '../../src/registry/index.ts';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { pushImage } from '../support/push-image.ts';
import { startHostile, stopHostile } from './hostile-registry.ts';

const tag = 'v1' as Tag;
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await stopHostile();
});

function open(options: RegistryClientOptions = {}) {
  const client = createRegistryClient({ attempts: 2, retryBaseMs: 1, retryMaxMs: 2, ...options });
  closers.push(() => client.close());
  return client;
}

/** Sends a byte every few milliseconds for as long as anybody listens. */
function drip(response: import('node:http').ServerResponse, headers: Record<string, string>) {
  response.writeHead(200, headers);
  const timer = setInterval(() => response.write('x'), 2);
  response.on('close', () => clearInterval(timer));
}

const subject = digestOf(Buffer.from('subject'));

describe('a registry that sends slowly', () => {
  it('is given up in the middle of a layer when its rate stays below the minimum', async () => {
    const size = 100_000_000;
    const registry = await startHostile((request, response) =>
      request.url === '/v2/'
        ? response.writeHead(200).end()
        : drip(response, { 'content-length': String(size), 'content-type': 'application/octet-stream' }),
    );
    const client = open({ rate: { minBytesPerSecond: 1_000_000, windowMs: 20 } });
    const blob = client.readBlob({ repository: { registry: registry.host, path: 'a/b' }, digest: subject, size });
    const read = async () => {
      for await (const _ of blob);
    };
    await expect(read()).rejects.toMatchObject({ code: 'registry-too-slow', retry: 'backoff' });
    expect(registry.requests.filter(({ line }) => line.includes('/blobs/'))).toHaveLength(2);
  });

  it('is given up in the middle of a manifest, although it is never idle', async () => {
    const registry = await startHostile((request, response) =>
      request.url === '/v2/'
        ? response.writeHead(200).end()
        : drip(response, { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }),
    );
    const failed = open({ callTimeoutMs: 100 }).getManifest({ registry: registry.host, path: 'a/b' }, tag);
    await expect(failed).rejects.toMatchObject({ code: 'registry-timeout', retry: 'backoff' });
  });
});

describe('a registry that sends too much', () => {
  const list = async (link: (page: number) => string, items: (page: number) => string[]) => {
    let page = 0;
    const registry = await startHostile((request, response) => {
      if (request.url === '/v2/') return response.writeHead(200).end();
      page++;
      const headers = { link: `<${link(page)}>; rel="next"` };
      return response.writeHead(200, headers).end(JSON.stringify({ name: 'a/b', tags: items(page) }));
    });
    const read = async () => {
      for await (const _ of open().listTags({ registry: registry.host, path: 'a/b' }));
    };
    return { registry, read };
  };

  it('cannot keep us in a circle of tag pages', async () => {
    const { registry, read } = await list(
      (page) => `/v2/a/b/tags/list?at=${page % 3}`,
      (page) => [`v${page}`],
    );
    await expect(read()).rejects.toThrow('the list does not end');
    expect(registry.requests.length).toBeLessThan(10);
  });

  it('cannot keep us with pages that hold nothing', async () => {
    const { registry, read } = await list(
      (page) => `/v2/a/b/tags/list?at=${page}`,
      () => [],
    );
    await expect(read()).rejects.toThrow('the list does not end');
    expect(registry.requests.length).toBeLessThan(150);
  });

  it('cannot keep us with pages of referrers', async () => {
    let page = 0;
    const registry = await startHostile((request, response) => {
      if (request.url === '/v2/') return response.writeHead(200).end();
      page++;
      const manifests = Array.from({ length: 100 }, (_, i) => ({
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: digestOf(Buffer.from(`${page}-${i}`)),
        size: 1,
      }));
      const headers = {
        'content-type': 'application/vnd.oci.image.index.v1+json',
        link: `</v2/a/b/referrers/${subject}?at=${page}>; rel="next"`,
      };
      return response.writeHead(200, headers).end(JSON.stringify({ schemaVersion: 2, manifests }));
    });
    const found = await open().listReferrers({ registry: registry.host, path: 'a/b' }, subject);
    expect(found).toHaveLength(1000);
    expect(page).toBe(10);
  });

  it('cannot send more of a layer than its manifest declares', async () => {
    const registry = await startHostile((request, response) =>
      request.url === '/v2/' ? response.writeHead(200).end() : drip(response, { 'transfer-encoding': 'chunked' }),
    );
    const blob = open().readBlob({ repository: { registry: registry.host, path: 'a/b' }, digest: subject, size: 5 });
    const read = async () => {
      for await (const _ of blob);
    };
    await expect(read()).rejects.toBeInstanceOf(Error);
  });

  it('cannot have us decompress an answer', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    const registry = await startHostile((request, response) =>
      request.url === '/v2/'
        ? response.writeHead(200).end()
        : response
            .writeHead(200, {
              'content-encoding': 'gzip',
              'content-type': 'application/vnd.oci.image.manifest.v1+json',
              'docker-content-digest': digestOf(bomb),
            })
            .end(bomb),
    );
    await expect(open().getManifest({ registry: registry.host, path: 'a/b' }, tag)).rejects.toMatchObject({
      code: 'registry-bad-response',
    });
  });
});

describe('copies to one backup registry', () => {
  it('mount a layer that an earlier copy brought, also when each copy has a copier of its own', async () => {
    const [source, backup] = [await startRegistryServer(), await startRegistryServer()];
    closers.push(
      () => source.stop(),
      () => backup.stop(),
    );
    const client = open();
    const at = ({ host }: { readonly host: string }, name: string) => parseReference(`${host}/team/${name}:v1`);
    await pushImage(client, `${source.host}/team/one:v1`);
    await createCopier(client).copy({ source: at(source, 'one'), target: at(source, 'twin') });
    const results = [];
    for (const name of ['one', 'twin'])
      results.push(await createCopier(client).copy({ source: at(source, name), target: at(backup, name) }));
    expect(results[0]).toMatchObject({ mountedBlobs: 0 });
    expect(results[1]).toMatchObject({ copiedBytes: 0, copiedBlobs: 0 });
    expect(results[1]!.mountedBlobs).toBe(results[0]!.copiedBlobs);
  });

  it('bring back a layer that was deleted at the target, when they verify', async () => {
    const [source, backup] = [await startRegistryServer(), await startRegistryServer()];
    closers.push(
      () => source.stop(),
      () => backup.stop(),
    );
    const client = open();
    await pushImage(client, `${source.host}/team/one:v1`);
    const [from, target] = [source, backup].map(({ host }) => parseReference(`${host}/team/one:v1`));
    const request = { source: from!, target: target! };
    const { digest } = await createCopier(client).copy(request);
    const { manifest } = await client.getManifest(target!, digest);
    const layer = manifest.blobs.at(-1)!.digest;
    await client.deleteBlob(target!, layer);
    expect(await createCopier(client).copy({ ...request, verify: true })).toMatchObject({ state: 'copied' });
    expect(await client.statBlob(target!, layer)).toBeGreaterThan(0);
    expect(await createCopier(client).copy({ ...request, verify: true })).toMatchObject({ state: 'present' });
  });
});
