import { digestOf, type ImageReference, parseManifest, type Tag } from '../../src/image/index.ts';
import type { RegistryClient } from '../../src/registry/index.ts';
import { type BuiltImage, blobsOf } from './layout.ts';
import { describePart, type Part } from './oci.ts';

/** Pushes an image: blobs, manifests, the index under its tag, then what refers to it. */
export async function pushBuilt(client: RegistryClient, { tag, ...repository }: ImageReference, image: BuiltImage) {
  const pushed = new Set<string>();
  for (const { bytes } of blobsOf(image)) {
    const digest = digestOf(bytes);
    if (pushed.has(digest) || (await client.statBlob(repository, digest)) !== undefined) continue;
    await client.uploadBlob({ repository, digest, size: bytes.length, read: (offset) => pieces(bytes, offset) });
    pushed.add(digest);
  }
  const put = ({ bytes, mediaType }: Part, as?: Tag) => {
    const digest = digestOf(bytes);
    return client.putManifest(repository, as ?? digest, { bytes, mediaType, digest });
  };
  for (const { manifest } of image.images) await put(manifest);
  await put(image.index, tag ?? ('latest' as Tag));
  for (const { subject, manifest } of image.referrers) {
    const { isSubjectKnown } = await put(manifest);
    if (isSubjectKnown) continue;
    const fetched = {
      ...manifest,
      ...describePart(manifest),
      manifest: parseManifest(manifest.bytes, manifest.mediaType),
    };
    await client.enterReferrer(repository, digestOf(subject.bytes), fetched);
  }
}

async function* pieces(bytes: Buffer, offset: number): AsyncGenerator<Uint8Array> {
  for (let at = offset; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20));
}
