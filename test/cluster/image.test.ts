/**
 * The container image: one commit is one digest, wherever and however it is built, and what is in it. The packages come
 * from the network the first time.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildImage } from '../../scripts/image/build.ts';
import type { BuiltImage } from '../../scripts/image/layout.ts';
import { architectures, readLock } from '../../scripts/image/lock.ts';
import { imageCache } from '../../scripts/image/package-cache.ts';
import { parseTar } from '../../scripts/image/tar.ts';
import { digestOf, parseReference } from '../../src/image/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { plainRegistryClient, pushOwnImage } from '../support/own-image.ts';

const root = path.join(import.meta.dirname, '../..');
const source = { revision: 'abc', created: '2026-01-01T00:00:00Z' };
const build = (folder: string, layerCache?: string) =>
  buildImage({ root: folder, cache: imageCache(), layerCache, lock: readLock(), architectures, source, log: () => {} });

describe('the container image', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-image-'));
  let image: BuiltImage;
  beforeAll(async () => {
    image = await build(root, imageCache());
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same digest when the program is built in another folder, and each layer compressed again', async () => {
    const copy = path.join(folder, 'some/other/checkout');
    mkdirSync(copy, { recursive: true });
    const left = ['.git', 'node_modules', 'dist', 'image'];
    for (const name of readdirSync(root).filter((one) => !left.includes(one)))
      cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
    // Links to the same files: a second installation would take longer than all the rest.
    execFileSync('cp', ['-al', path.join(root, 'node_modules'), copy]);
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy, stdio: 'pipe' });
    const again = await build(copy);
    expect(again.images.map(({ manifest }) => digestOf(manifest.bytes))).toEqual(
      image.images.map(({ manifest }) => digestOf(manifest.bytes)),
    );
    expect(digestOf(again.index.bytes)).toBe(digestOf(image.index.bytes));
    expect(again.referrers.map(({ manifest }) => digestOf(manifest.bytes))).toEqual(
      image.referrers.map(({ manifest }) => digestOf(manifest.bytes)),
    );
  });

  it('is an index of two platforms, each of at most 100 MB, with the labels of OCI', () => {
    const { manifests } = JSON.parse(`${image.index.bytes}`) as { manifests: readonly { platform: object }[] };
    expect(manifests.map(({ platform }) => platform)).toEqual([
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64', variant: 'v8' },
    ]);
    for (const { layers, config } of image.images) {
      expect(layers.reduce((total, { bytes }) => total + bytes.length, 0)).toBeLessThan(100e6);
      expect(JSON.parse(`${config.bytes}`)).toMatchObject({
        config: {
          User: '65532:65532',
          Entrypoint: ['/usr/bin/supercargo'],
          Labels: {
            'org.opencontainers.image.title': 'supercargo',
            'org.opencontainers.image.revision': 'abc',
            'org.opencontainers.image.created': source.created,
            'org.opencontainers.image.licenses': 'Apache-2.0',
          },
        },
      });
    }
  });

  it.each(architectures)('has no shell and no set-user-ID program on %s', (architecture) => {
    const { layers } = image.images.find((one) => one.architecture === architecture)!;
    const entries = layers.flatMap(({ bytes }) => parseTar(gunzipSync(bytes)));
    const names = entries.map((entry) => path.posix.basename(entry.path));
    expect(names).toEqual(expect.arrayContaining(['node', 'git', 'ssh', 'supercargo']));
    const programs = entries.filter((entry) => entry.type !== 'folder' && /^(?:usr\/)?s?bin\//.test(entry.path));
    const shells = /^(?:ba|da|a|z|k|c|tc|fi|mk)?sh$|^(?:busybox|toybox|perl|python[\d.]*)$/;
    expect(programs.filter((entry) => shells.test(path.posix.basename(entry.path)))).toEqual([]);
    const setId = entries.filter((entry) => entry.type === 'file' && (entry.mode & 0o6000) !== 0);
    expect(setId.map((entry) => entry.path)).toEqual([]);
  });

  describe('in a registry', () => {
    let registry: RegistryServer;
    beforeAll(async () => {
      registry = await startRegistryServer();
    });
    afterAll(() => registry?.stop());

    it('has a bill of materials for each platform, found by its digest', async () => {
      const client = plainRegistryClient();
      const name = `${registry.host}/supercargo/supercargo:1`;
      await pushOwnImage(client, name, image);
      const { tag: _tag, ...repository } = parseReference(name);
      for (const { manifest } of image.images) {
        const found = await client.listReferrers(repository, digestOf(manifest.bytes));
        expect(found).toMatchObject([{ artifactType: 'application/spdx+json' }]);
        const { bytes } = await client.getManifest(repository, found[0]!.digest);
        expect(JSON.parse(`${Buffer.from(bytes)}`)).toMatchObject({
          subject: { digest: digestOf(manifest.bytes) },
          layers: [{ mediaType: 'application/spdx+json' }],
        });
      }
      await client.close();
    });
  });
});
