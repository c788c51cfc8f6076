import { expect, it } from 'vitest';
import { type Digest, digestOf, mediaTypes, parseManifest } from '../image/index.ts';
import { type RegistryClient, RegistryError } from '../registry/index.ts';
import { createCreatedCache, readCreated } from './created.ts';

const repository = { registry: 'r.example', path: 'app' };
const { signal } = new AbortController();
const date = '2024-03-01T10:00:00Z';

/** A registry in memory that records the requests. */
function registry() {
  const blobs = new Map<string, Buffer>();
  const tags = new Map<string, Digest>();
  const requests: string[] = [];
  const put = (content: unknown, tag?: string) => {
    const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    if (tag !== undefined) tags.set(tag, digest);
    return { digest, size: bytes.length };
  };
  const image = (config: unknown, tag?: string) => {
    const descriptor = { mediaType: 'application/vnd.oci.image.config.v1+json', ...put(config) };
    const manifest = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config: descriptor, layers: [] };
    return { mediaType: mediaTypes.ociManifest, ...put(manifest, tag) };
  };
  const client = {
    async headManifest(_, tag) {
      requests.push(`head ${tag}`);
      const digest = tags.get(tag);
      return digest && { digest, mediaType: '', size: 0 };
    },
    async getManifest(_, digest) {
      requests.push('manifest');
      const bytes = blobs.get(digest);
      if (!bytes) throw new RegistryError('registry-not-found', 'it is gone', { registry: repository.registry });
      return {
        digest: digest as Digest,
        bytes,
        mediaType: '',
        size: bytes.length,
        manifest: parseManifest(bytes, undefined),
      };
    },
    async *readBlob({ digest }) {
      requests.push('config');
      yield blobs.get(digest)!;
    },
  } as Pick<RegistryClient, 'headManifest' | 'getManifest' | 'readBlob'> as RegistryClient;
  const cache = createCreatedCache();
  return {
    image,
    put,
    tags,
    blobs,
    requests,
    read: (tag: string) => readCreated(client, repository, tag, cache, signal),
  };
}

it('the date of an image is read once for each digest', async () => {
  const { image, requests, read } = registry();
  image({ created: date }, 'v1');
  const { digest } = image({ created: date }, 'v2');
  expect(await read('v1')).toEqual({ digest, createdAtMs: Date.parse(date) });
  expect(await read('v2')).toEqual({ digest, createdAtMs: Date.parse(date) });
  expect(requests).toEqual(['head v1', 'manifest', 'config', 'head v2']);
});

it('the date of an index is the one of its image for linux/amd64, or of its first', async () => {
  const { image, put, read } = registry();
  const entry = (created: string, os: string) => ({ ...image({ created }), platform: { os, architecture: 'amd64' } });
  const index = (...manifests: readonly unknown[]) => ({ schemaVersion: 2, mediaType: mediaTypes.ociIndex, manifests });
  put(index(entry('2001-01-01T00:00:00Z', 'windows'), entry(date, 'linux')), 'both');
  put(index(entry('2001-01-01T00:00:00Z', 'windows')), 'one');
  put(index(), 'none');
  expect((await read('both')).createdAtMs).toBe(Date.parse(date));
  expect((await read('one')).createdAtMs).toBe(Date.UTC(2001));
  expect((await read('none')).createdAtMs).toBeUndefined();
});

it('an artifact, a config without a date and a deleted tag have no date', async () => {
  const { image, tags, blobs, read } = registry();
  image('not JSON', 'artifact');
  image([], 'list');
  image({ created: '1970-01-01T00:00:00Z' }, 'epoch');
  for (const tag of ['artifact', 'list', 'epoch'])
    expect(await read(tag)).toEqual({ digest: tags.get(tag), createdAtMs: undefined });
  const { digest } = image({ created: date }, 'deleted');
  blobs.delete(digest);
  expect(await read('deleted')).toEqual({});
  expect(await read('missing')).toEqual({});
});
