import { describe, expect, it } from 'vitest';
import { digestOf } from './digest.ts';
import { mediaTypes, parseManifest } from './manifest.ts';

const descriptor = { mediaType: 'application/x', digest: digestOf('x'), size: 1 };
const read = (value: unknown, type?: string) => parseManifest(Buffer.from(JSON.stringify(value)), type);
const image = { schemaVersion: 2, mediaType: mediaTypes.ociManifest, config: descriptor, layers: [descriptor] };

describe('a manifest', () => {
  it('of an image has its config and layers as blobs', () => {
    const { isIndex, blobs, mediaType } = read(image, `${mediaTypes.ociManifest}; charset=utf-8`);
    expect({ isIndex, mediaType, blobs: blobs.length }).toEqual({
      isIndex: false,
      mediaType: mediaTypes.ociManifest,
      blobs: 2,
    });
  });

  it('of an index lists manifests, and keeps other descriptors as blobs', () => {
    const child = {
      ...descriptor,
      mediaType: mediaTypes.ociManifest,
      platform: { os: 'linux', architecture: 'arm64' },
    };
    const index = read({ schemaVersion: 2, manifests: [child, descriptor] });
    expect(index.mediaType).toBe(mediaTypes.ociIndex);
    expect(index.manifests.map(({ platform }) => platform?.architecture)).toEqual(['arm64']);
    expect(index.blobs).toHaveLength(1);
  });

  it.each([
    ['not JSON', Buffer.from('{'), undefined, 'it is not JSON'],
    ['bad UTF-8', Buffer.from([0x22, 0xff, 0x22]), undefined, 'it is not JSON'],
    ['a list', Buffer.from('[]'), undefined, 'no JSON object'],
    ['schema 1', Buffer.from('{"schemaVersion":1}'), undefined, 'push it again'],
    ['schema 1 by its type', Buffer.from('{}'), mediaTypes.dockerSchema1Signed, 'push it again'],
    ['too large', Buffer.alloc(4 * 1024 * 1024 + 1), undefined, 'bytes, and'],
  ])('that is %s is rejected', (_, bytes, type, why) => expect(() => parseManifest(bytes, type)).toThrow(why));

  it.each([
    ['two types', image, mediaTypes.dockerManifest, 'was announced as'],
    ['both forms', { ...image, manifests: [] }, mediaTypes.ociManifest, 'lists manifests'],
    ['an index with layers', { schemaVersion: 2, manifests: [], layers: [] }, mediaTypes.ociIndex, 'has layers'],
    [
      'a short digest',
      { ...image, layers: [{ ...descriptor, digest: 'sha256:1' }] },
      undefined,
      'layers[0] has no valid digest',
    ],
    ['a negative size', { ...image, config: { ...descriptor, size: -1 } }, undefined, 'config has no valid size'],
    ['nothing', { schemaVersion: 2 }, undefined, 'says nowhere'],
    ['an unknown type', { schemaVersion: 2, mediaType: 'text/x' }, undefined, 'no kind of manifest'],
  ])('with %s is rejected', (_, value, type, why) => expect(() => read(value, type)).toThrow(why));
});
