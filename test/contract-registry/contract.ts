/**
 * What a registry does, as one suite that runs against the embedded registry and against Docker's: whatever both pass is
 * no invention of ours. The client under test is ours, so each tests the other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Digest, digestOf, mediaTypes, type Repository, type Tag } from '../../src/image/index.ts';
import {
  type CredentialSource,
  createCopier,
  createRegistryClient,
  findMissing,
  isRegistryError,
  type RegistryClient,
} from '../../src/registry/index.ts';
import {
  collect,
  digestsOf,
  layerBytes,
  manifestOf,
  pushBlob,
  pushImage,
  pushMultiArch,
} from '../support/registry-images.ts';

export interface RegistryTarget {
  readonly host: string;
  readonly credentials?: CredentialSource;
  readonly ca?: string;
  stop(): Promise<void>;
}

export interface RegistryContract {
  readonly name: string;
  /** How many repositories and tags the listings are tried with. */
  readonly manyRepositories: number;
  readonly manyTags: number;
  start(): Promise<RegistryTarget>;
}

export function clientOf({ credentials, ca }: Pick<RegistryTarget, 'credentials' | 'ca'>): RegistryClient {
  return createRegistryClient({
    ...(credentials ? { credentials } : {}),
    settings: () => ({ ca }),
    retryBaseMs: 5,
    retryMaxMs: 20,
  });
}

export function defineRegistryContract({ name, start, manyRepositories, manyTags }: RegistryContract): void {
  describe(name, { timeout: 120_000 }, () => {
    let target: RegistryTarget;
    let client: RegistryClient;
    let counter = 0;
    const repository = (path = `contract/repository-${++counter}`): Repository => ({ registry: target.host, path });
    beforeAll(async () => {
      target = await start();
      client = clientOf(target);
    }, 60_000);
    afterAll(async () => {
      await client?.close();
      await target?.stop();
    });

    describe('blobs', () => {
      it('come back as they were pushed, whole and from an offset on', async () => {
        const home = repository();
        const bytes = layerBytes(3_000_000);
        const digest = await pushBlob(client, home, bytes);
        expect(await client.statBlob(home, digest)).toBe(bytes.length);
        const read = async (pieces: AsyncIterable<Buffer>) => {
          const all: Buffer[] = [];
          for await (const piece of pieces) all.push(Buffer.from(piece));
          return Buffer.concat(all);
        };
        const source = { repository: home, digest, size: bytes.length };
        expect((await read(client.readBlob(source))).equals(bytes)).toBe(true);
        expect((await read(client.downloadBlob(source, 1_234_567))).equals(bytes.subarray(1_234_567))).toBe(true);
      });

      it('are taken in chunks, and when they are empty', async () => {
        const home = repository();
        const bytes = layerBytes(700_000);
        const upload = (read: Buffer, chunkBytes?: number) =>
          client.uploadBlob({
            repository: home,
            digest: digestOf(read),
            size: read.length,
            chunkBytes,
            read: async function* (offset) {
              for (let at = offset; at < read.length; at += 50_000) yield read.subarray(at, at + 50_000);
            },
          });
        expect(await upload(bytes, 262_144)).toBe('uploaded');
        expect(await client.statBlob(home, digestOf(bytes))).toBe(bytes.length);
        await upload(Buffer.alloc(0));
        expect(await client.statBlob(home, digestOf(''))).toBe(0);
      });

      it('are mounted from another repository without a byte travelling', async () => {
        const [from, to] = [repository(), repository()];
        const bytes = layerBytes(1000);
        const digest = await pushBlob(client, from, bytes);
        const outcome = await client.uploadBlob({
          repository: to,
          digest,
          size: bytes.length,
          mountFrom: from,
          // biome-ignore lint/correctness/useYield: it must not be asked for a byte.
          read: async function* () {
            throw new Error('a mounted blob was read');
          },
        });
        expect(outcome).toBe('mounted');
        expect(await client.statBlob(to, digest)).toBe(bytes.length);
      });

      it('with other bytes than their digest says are not taken, and not even sent to their end', async () => {
        const home = repository();
        const bytes = layerBytes(100_000);
        const wrong = Buffer.from(bytes);
        wrong[50_000]! ^= 1;
        const failed = client.uploadBlob({
          repository: home,
          digest: digestOf(bytes),
          size: bytes.length,
          read: async function* (offset) {
            yield wrong.subarray(offset);
          },
        });
        await expect(failed).rejects.toMatchObject({ code: 'registry-digest-mismatch' });
        expect(await client.statBlob(home, digestOf(bytes))).toBeUndefined();
      });

      it('can be deleted, and are not there before they are pushed', async () => {
        const home = repository();
        expect(await client.statBlob(home, digestOf('never'))).toBeUndefined();
        const digest = await pushBlob(client, home, layerBytes(100));
        expect(await client.deleteBlob(home, digest)).toBe(true);
        expect(await client.statBlob(home, digest)).toBeUndefined();
        expect(await client.deleteBlob(home, digest)).toBe(false);
      });
    });

    describe('manifests', () => {
      it.each(['oci', 'docker'] as const)(
        'of the %s form come back by tag and by digest, byte by byte',
        async (form) => {
          const home = repository();
          const image = await pushImage(client, home, 'v1', { form });
          for (const reference of ['v1' as Tag, image.digest]) {
            expect(await client.headManifest(home, reference)).toMatchObject({
              digest: image.digest,
              size: image.size,
            });
            const fetched = await client.getManifest(home, reference);
            expect(Buffer.from(fetched.bytes).equals(Buffer.from(image.bytes))).toBe(true);
            expect(fetched.mediaType).toBe(image.mediaType);
          }
        },
      );

      it('that are not there are undefined by HEAD and an error by GET', async () => {
        const home = repository();
        await pushImage(client, home, 'v1');
        expect(await client.headManifest(home, 'v2' as Tag)).toBeUndefined();
        const failed = client.getManifest(home, 'v2' as Tag);
        await expect(failed).rejects.toMatchObject({ code: 'registry-not-found', status: 404, isTemporary: false });
        await expect(failed).rejects.toMatchObject({ registryCode: 'MANIFEST_UNKNOWN', method: 'GET' });
      });

      it('that name a blob which is not there are refused', async () => {
        const home = repository();
        const { manifest } = await pushImage(client, home, 'v1');
        const missing = {
          ...manifest.raw,
          layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: digestOf('absent'), size: 6 }],
        };
        const broken = manifestOf(missing, mediaTypes.ociManifest);
        await expect(client.putManifest(home, 'v2' as Tag, broken)).rejects.toMatchObject({
          status: 400,
          registryCode: expect.stringMatching(/^MANIFEST_(?:BLOB_UNKNOWN|INVALID)$/),
        });
        expect(await client.headManifest(home, 'v2' as Tag)).toBeUndefined();
      });

      it('can be deleted', async () => {
        const home = repository();
        const { digest } = await pushImage(client, home, 'v1');
        expect(await client.deleteManifest(home, digest)).toBe(true);
        expect(await client.headManifest(home, 'v1' as Tag)).toBeUndefined();
        expect(await client.deleteManifest(home, digest)).toBe(false);
      });
    });

    describe('listings', () => {
      it('of tags are complete over many pages, and empty where there is nothing', async () => {
        const home = repository();
        const image = await pushImage(client, home, 't-0');
        const tags = Array.from({ length: manyTags }, (_, i) => `t-${i}` as Tag);
        for (let at = 1; at < tags.length; at += 50)
          await Promise.all(tags.slice(at, at + 50).map((tag) => client.putManifest(home, tag, image)));
        expect((await collect(client.listTags(home, { pageSize: Math.ceil(manyTags / 7) }))).sort()).toEqual(
          [...tags].sort(),
        );
        expect(await collect(client.listTags(repository('contract/never-pushed')))).toEqual([]);
      });

      it('of repositories are complete over many pages', async () => {
        const names = Array.from({ length: manyRepositories }, (_, i) => `many/part-${i % 10}/r-${i}`);
        for (let at = 0; at < names.length; at += 10)
          await Promise.all(
            names.slice(at, at + 10).map((path) => pushImage(client, repository(path), 'v1', { layers: [] })),
          );
        const found = await collect(
          client.listRepositories(target.host, { pageSize: Math.ceil(manyRepositories / 7) }),
        );
        expect(found.filter((path) => path.startsWith('many/')).sort()).toEqual([...names].sort());
      });
    });

    describe('copies', () => {
      const copyOf = async (from: Repository, tag: string, to: Repository, options: object = {}) =>
        createCopier(client).copy({
          source: { ...from, tag: tag as Tag },
          target: { ...to, tag: tag as Tag },
          ...options,
        });

      it.each(['oci', 'docker'] as const)(
        'of a multi-platform image are whole, have its digest, and need no second time (%s)',
        async (form) => {
          const [from, to] = [repository(), repository()];
          const { index, entries } = await pushMultiArch(client, from, 'v1', form);
          const result = await copyOf(from, 'v1', to);
          expect(result).toMatchObject({
            digest: index.digest,
            state: 'copied',
            manifests: 4,
            mountedBlobs: 7,
            copiedBlobs: 0,
          });
          for (const { image } of entries) expect(await client.headManifest(to, image.digest)).toBeDefined();
          expect(await findMissing(client, to, index.digest)).toEqual([]);
          expect(await copyOf(from, 'v1', to)).toMatchObject({ state: 'present', manifests: 0, copiedBytes: 0 });
        },
      );

      it('of some platforms are an index of those alone', async () => {
        const [from, to] = [repository(), repository()];
        const { index, entries } = await pushMultiArch(client, from, 'v1');
        const platforms = [
          { os: 'linux', architecture: 'amd64' },
          { os: 'linux', architecture: 'arm64' },
        ];
        const { digest } = await copyOf(from, 'v1', to, { platforms });
        expect(digest).not.toBe(index.digest);
        const copy = await client.getManifest(to, 'v1' as Tag);
        expect(digestsOf(copy.manifest.manifests)).toEqual(digestsOf(entries.slice(0, 2).map(({ image }) => image)));
        expect(await findMissing(client, to, digest)).toEqual([]);
        expect(await copyOf(from, 'v1', to, { platforms })).toMatchObject({ state: 'present', digest });
        await expect(copyOf(from, 'v1', to, { platforms: [{ os: 'linux', architecture: 's390x' }] })).rejects.toThrow(
          'has no image for linux/s390x; it has linux/amd64, linux/arm64/v8, linux/arm/v7',
        );
      });

      it('bring what refers to the image, also at registries without the referrers API', async () => {
        const [from, to] = [repository(), repository()];
        const image = await pushImage(client, from, 'v1');
        const signature = await pushImage(client, from, undefined, {
          subject: image,
          artifactType: 'application/x.signature',
        });
        const about = await pushImage(client, from, undefined, {
          subject: signature,
          artifactType: 'application/x.note',
        });
        expect(digestsOf(await client.listReferrers(from, image.digest))).toEqual([signature.digest]);
        expect(await copyOf(from, 'v1', to)).toMatchObject({ referrers: 2, manifests: 3 });
        expect(digestsOf(await client.listReferrers(to, image.digest))).toEqual([signature.digest]);
        expect(digestsOf(await client.listReferrers(to, signature.digest))).toEqual([about.digest]);
        expect(await copyOf(from, 'v1', to)).toMatchObject({ state: 'present', referrers: 0 });
        const later = await pushImage(client, from, undefined, { subject: image, artifactType: 'application/x.sbom' });
        expect(await copyOf(from, 'v1', to)).toMatchObject({ state: 'copied', referrers: 1, manifests: 1 });
        expect(digestsOf(await client.listReferrers(to, image.digest))).toEqual(digestsOf([signature, later]));
      });

      it("bring cosign's tags", async () => {
        const [from, to] = [repository(), repository()];
        const { digest } = await pushImage(client, from, 'v1');
        const tag = `${digest.replace(':', '-')}.sig` as Tag;
        const signature = await pushImage(client, from, tag);
        await copyOf(from, 'v1', to);
        expect(await client.headManifest(to, tag)).toMatchObject({ digest: signature.digest });
      });

      it('that are only tried write nothing and say what is missing', async () => {
        const [from, to] = [repository(), repository()];
        const image = await pushImage(client, from, 'v1', { layers: [layerBytes(5000), layerBytes(6000)] });
        const result = await copyOf(from, 'v1', to, { dryRun: true });
        expect(result).toMatchObject({ state: 'planned', digest: image.digest, manifests: 1, mountedBlobs: 3 });
        expect(await client.headManifest(to, 'v1' as Tag)).toBeUndefined();
      });

      it('by digest keep the tag they are given', async () => {
        const [from, to] = [repository(), repository()];
        const { digest } = await pushImage(client, from, undefined);
        await createCopier(client).copy({ source: { ...from, digest }, target: { ...to, tag: 'kept' as Tag, digest } });
        expect(await client.headManifest(to, 'kept' as Tag)).toMatchObject({ digest });
      });

      it('of what is not there fail by its name', async () => {
        const [from, to] = [repository(), repository()];
        const failed = copyOf(from, 'v9', to);
        await expect(failed).rejects.toThrow(`${target.host}/${from.path}:v9 does not exist`);
        await failed.catch((thrown) => expect(isRegistryError(thrown, 'registry-not-found')).toBe(true));
      });

      it('asked for twenty times at once are one', async () => {
        const [from, to] = [repository(), repository()];
        const { digest } = await pushImage(client, from, 'v1', { layers: [layerBytes(200_000)] });
        const copier = createCopier(client);
        const all = await Promise.all(
          Array.from({ length: 20 }, () =>
            copier.copy({
              source: { ...from, tag: 'v1' as Tag },
              target: { ...to, tag: 'v1' as Tag },
              referrers: false,
            }),
          ),
        );
        expect(new Set<Digest>(all.map((result) => result.digest))).toEqual(new Set([digest]));
        expect(all.reduce((sum, { mountedBlobs, copiedBlobs }) => sum + mountedBlobs + copiedBlobs, 0)).toBe(2);
      });
    });
  });
}
