import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { digestOf, mediaTypes } from '../image/index.ts';
import { type RegistryServer, type RegistryServerOptions, startRegistryServer } from './index.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const temporaryFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-registryserver-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

async function start(options: RegistryServerOptions = {}): Promise<RegistryServer> {
  const server = await startRegistryServer(options);
  closers.push(() => server.stop());
  return server;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

async function pushBlob(server: RegistryServer, repository: string, bytes: Buffer): Promise<string> {
  const digest = digestOf(bytes);
  const { status } = await fetch(`${server.url}/v2/${repository}/blobs/uploads/?digest=${digest}`, {
    method: 'POST',
    body: bytes,
  });
  expect(status).toBe(201);
  return digest;
}

const putManifest = (server: RegistryServer, repository: string, reference: string, bytes: Buffer, type: string) =>
  fetch(`${server.url}/v2/${repository}/manifests/${reference}`, {
    method: 'PUT',
    headers: { 'content-type': type },
    body: bytes,
  });

async function pushImage(server: RegistryServer, repository: string, tag: string, content: string): Promise<string> {
  const config = json({ os: 'linux', architecture: 'amd64', content });
  const layer = Buffer.from(`layer of ${content}`);
  await pushBlob(server, repository, config);
  await pushBlob(server, repository, layer);
  const manifest = json({
    schemaVersion: 2,
    mediaType: mediaTypes.ociManifest,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', digest: digestOf(layer), size: layer.length }],
  });
  expect((await putManifest(server, repository, tag, manifest, mediaTypes.ociManifest)).status).toBe(201);
  return digestOf(manifest);
}

const errorOf = async (response: Response) => {
  const { errors } = (await response.json()) as { errors: readonly [{ code: string; message: string }] };
  return { status: response.status, code: errors[0].code };
};

describe('the embedded registry', () => {
  it('restores everything after a restart, and drops what a crash left incomplete', async () => {
    const folder = temporaryFolder();
    const first = await startRegistryServer({ folder });
    const digest = await pushImage(first, 'a/b', 'v1', 'one');
    await fetch(`${first.url}/v2/a/b/blobs/uploads/`, { method: 'POST' });
    await first.stop();
    appendFileSync(path.join(folder, 'journal'), '{"repository":"a/b","put":"tag","tag":"torn');
    const second = await start({ folder });
    const response = await fetch(`${second.url}/v2/a/b/manifests/v1`);
    expect(response.headers.get('docker-content-digest')).toBe(digest);
    expect(await (await fetch(`${second.url}/v2/a/b/tags/list`)).json()).toEqual({ name: 'a/b', tags: ['v1'] });
    expect(readdirSync(path.join(folder, 'uploads'))).toEqual([]);
    expect(readFileSync(path.join(folder, 'journal'), 'utf8')).not.toContain('torn');
  });

  it('reports the damaged line of its journal instead of losing data', async () => {
    const folder = temporaryFolder();
    const first = await startRegistryServer({ folder });
    await pushImage(first, 'a', 'v1', 'one');
    await first.stop();
    const journal = path.join(folder, 'journal');
    const text = readFileSync(journal, 'utf8');
    truncateSync(journal, 0);
    appendFileSync(journal, `garbage\n${text}`);
    await expect(startRegistryServer({ folder })).rejects.toThrow('journal: line 1 is damaged');
  });

  it('collects unreferenced content, and nothing else', async () => {
    const server = await start();
    const kept = await pushImage(server, 'a', 'v1', 'kept');
    const replaced = await pushImage(server, 'a', 'v2', 'replaced');
    await pushImage(server, 'a', 'v2', 'newer');
    await pushBlob(server, 'a', Buffer.from('no manifest names this'));
    expect(await server.collectGarbage()).toEqual({ manifests: 0, blobs: 0, bytes: 0 });
    expect(await server.collectGarbage({ graceMs: -1000 })).toMatchObject({ manifests: 0, blobs: 1, bytes: 22 });
    expect((await fetch(`${server.url}/v2/a/manifests/${replaced}`)).status).toBe(200);
    expect(await server.collectGarbage({ graceMs: -1000, untagged: true })).toMatchObject({ manifests: 1, blobs: 3 });
    expect((await fetch(`${server.url}/v2/a/manifests/${replaced}`)).status).toBe(404);
    expect((await fetch(`${server.url}/v2/a/manifests/${kept}`)).status).toBe(200);
    const { layers } = (await (await fetch(`${server.url}/v2/a/manifests/v2`)).json()) as {
      layers: { digest: string }[];
    };
    expect((await fetch(`${server.url}/v2/a/blobs/${layers[0]!.digest}`)).status).toBe(200);
  });

  it('keeps the referrers of a kept manifest, and the manifests of a kept index', async () => {
    const server = await start();
    const child = await pushImage(server, 'a', 'child', 'child');
    const size = (await (await fetch(`${server.url}/v2/a/manifests/${child}`)).arrayBuffer()).byteLength;
    const index = json({
      schemaVersion: 2,
      mediaType: mediaTypes.ociIndex,
      manifests: [{ mediaType: mediaTypes.ociManifest, digest: child, size }],
    });
    await putManifest(server, 'a', 'v1', index, mediaTypes.ociIndex);
    const about = json({
      schemaVersion: 2,
      mediaType: mediaTypes.ociIndex,
      manifests: [],
      artifactType: 'application/x.note',
      subject: { mediaType: mediaTypes.ociIndex, digest: digestOf(index), size: index.length },
    });
    const put = await putManifest(server, 'a', digestOf(about), about, mediaTypes.ociIndex);
    expect(put.headers.get('oci-subject')).toBe(digestOf(index));
    await fetch(`${server.url}/v2/a/manifests/child`, { method: 'DELETE' });
    expect(await server.collectGarbage({ graceMs: -1000, untagged: true })).toEqual({
      manifests: 0,
      blobs: 0,
      bytes: 0,
    });
    const referrers = await fetch(`${server.url}/v2/a/referrers/${digestOf(index)}?artifactType=application/x.note`);
    expect(referrers.headers.get('oci-filters-applied')).toBe('artifactType');
    expect(await referrers.json()).toMatchObject({
      manifests: [{ digest: digestOf(about), artifactType: 'application/x.note' }],
    });
    const none = await fetch(`${server.url}/v2/a/referrers/${digestOf(index)}?artifactType=other`);
    expect(await none.json()).toMatchObject({ manifests: [] });
  });

  it('requires a user name and password where users are configured, and accepts no others', async () => {
    const server = await start({ users: { alice: 'secret' } });
    const get = (authorization?: string) =>
      fetch(`${server.url}/v2/`, authorization ? { headers: { authorization } } : {});
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const refused = await get();
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="supercargo"');
    expect(await errorOf(refused)).toEqual({ status: 401, code: 'UNAUTHORIZED' });
    for (const wrong of [
      basic('alice:wrong'),
      basic('alice:'),
      basic('bob:secret'),
      basic('__proto__:x'),
      'Basic ???',
      'Bearer x',
    ])
      expect((await get(wrong)).status).toBe(401);
    expect((await get(basic('alice:secret'))).status).toBe(200);
  });

  it('has a limit for every input', async () => {
    const server = await start({ limits: { maxBlobBytes: 1000, maxUploads: 2, maxPage: 5 } });
    const post = (query: string, body?: Buffer) =>
      fetch(`${server.url}/v2/a/blobs/uploads/${query}`, { method: 'POST', ...(body ? { body } : {}) });
    const large = Buffer.alloc(1001);
    expect(await errorOf(await post(`?digest=${digestOf(large)}`, large))).toEqual({
      status: 413,
      code: 'SIZE_INVALID',
    });
    expect((await post('')).status).toBe(202);
    expect(await errorOf(await post(''))).toEqual({ status: 429, code: 'TOOMANYREQUESTS' });
    const manifest = await putManifest(server, 'a', 'v1', Buffer.alloc(4 * 1024 * 1024 + 1), mediaTypes.ociManifest);
    expect(await errorOf(manifest)).toEqual({ status: 413, code: 'SIZE_INVALID' });
    expect(await errorOf(await fetch(`${server.url}/v2/UPPER/tags/list`))).toEqual({
      status: 400,
      code: 'NAME_INVALID',
    });
    expect(await errorOf(await fetch(`${server.url}/v2/${'x/'.repeat(200)}y/tags/list`))).toEqual({
      status: 400,
      code: 'NAME_INVALID',
    });
    expect(await errorOf(await fetch(`${server.url}/v2/_catalog?n=-1`))).toEqual({
      status: 400,
      code: 'PAGINATION_NUMBER_INVALID',
    });
    expect(await errorOf(await fetch(`${server.url}/v2/a/blobs/sha256:short`))).toEqual({
      status: 400,
      code: 'DIGEST_INVALID',
    });
    expect((await fetch(`${server.url}/v2/%ff`)).status).toBe(400);
    expect((await fetch(`${server.url}/elsewhere`)).status).toBe(404);
    expect((await fetch(`${server.url}/v2/..%2f..%2fetc/blobs/${digestOf('x')}`)).status).toBe(400);
  });

  it('refuses a manifest in another format, and one under another digest', async () => {
    const server = await start();
    await pushImage(server, 'a', 'v1', 'x');
    const schema1 = await putManifest(server, 'a', 'old', json({ schemaVersion: 1 }), mediaTypes.dockerSchema1Signed);
    expect(await errorOf(schema1)).toEqual({ status: 400, code: 'MANIFEST_INVALID' });
    const bytes = json({ schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests: [] });
    const other = await putManifest(server, 'a', digestOf('other'), bytes, mediaTypes.ociIndex);
    expect(await errorOf(other)).toEqual({ status: 400, code: 'DIGEST_INVALID' });
  });

  it('listens on loopback only', async () => {
    const server = await start();
    expect(server.host).toMatch(/^127\.0\.0\.1:\d+$/);
  });
});
