import { createHash } from 'node:crypto';
import { type Descriptor, mediaTypes, parseDigest, parseReference, type Tag } from '../../src/image/index.ts';
import type { RegistryClient } from '../../src/registry/index.ts';

const digestOf = (bytes: Buffer) => parseDigest(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);

/** Pushes a small image whose digest depends on `content` and `created`; answers the digest of its manifest. */
export async function pushImage(
  client: RegistryClient,
  name: string,
  content = name,
  created?: string,
): Promise<string> {
  const { tag, ...repository } = parseReference(name);
  const upload = async (
    mediaType: string,
    bytes: Buffer,
  ): Promise<Pick<Descriptor, 'mediaType' | 'digest' | 'size'>> => {
    const digest = digestOf(bytes);
    await client.uploadBlob({
      repository,
      digest,
      size: bytes.length,
      read: async function* (offset: number) {
        yield bytes.subarray(offset);
      },
    });
    return { mediaType, digest, size: bytes.length };
  };
  const config = await upload(
    'application/vnd.oci.image.config.v1+json',
    Buffer.from(JSON.stringify({ created, architecture: 'amd64', os: 'linux', config: { Labels: { content } } })),
  );
  const layer = await upload('application/vnd.oci.image.layer.v1.tar', Buffer.from(`layer of ${content}`));
  const bytes = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociManifest, config, layers: [layer] }),
  );
  const digest = digestOf(bytes);
  await client.putManifest(repository, (tag ?? 'latest') as Tag, { bytes, mediaType: mediaTypes.ociManifest, digest });
  return digest;
}
