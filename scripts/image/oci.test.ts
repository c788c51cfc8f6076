import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { digestOf, parseManifest } from '../../src/image/index.ts';
import { describePart, makeImage, makeIndex, makeLayer, makeReferrer } from './oci.ts';

const layer = () => makeLayer([{ type: 'file', path: 'a', mode: 0o644, data: Buffer.from('x'.repeat(5000)) }]);
const created = '2026-01-01T00:00:00Z';
const image = async () =>
  makeImage({ architecture: 'arm64', layers: [await layer()], process: { user: '1:1', entrypoint: ['/a'] }, created });

describe('an image', () => {
  it('has layers whose uncompressed digest is in its configuration', async () => {
    const { config, layers } = await image();
    const { rootfs } = JSON.parse(config.bytes.toString());
    expect(rootfs.diff_ids).toEqual(layers.map(({ bytes }) => digestOf(gunzipSync(bytes))));
  });

  it('has the same digest when it is made again', async () => {
    expect(describePart((await image()).manifest)).toEqual(describePart((await image()).manifest));
  });

  it('is a manifest that our own parser accepts, as are its index and its referrer', async () => {
    const made = await image();
    const index = makeIndex([made], {});
    const document = { mediaType: 'application/spdx+json', bytes: Buffer.from('{}') };
    const referrer = makeReferrer(made.manifest, document, created);
    for (const { bytes, mediaType } of [made.manifest, index, referrer.manifest])
      expect(() => parseManifest(bytes, mediaType)).not.toThrow();
    expect(JSON.parse(referrer.manifest.bytes.toString()).subject).toEqual(describePart(made.manifest));
    expect(JSON.parse(index.bytes.toString()).manifests[0].platform).toEqual({
      architecture: 'arm64',
      os: 'linux',
      variant: 'v8',
    });
  });
});
