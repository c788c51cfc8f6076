import { type Descriptor, digestOf, mediaTypes, parseReference, type Tag } from '../../image/index.ts';
import type { RegistryClient } from '../../registry/index.ts';

/** Pushes an image without layers: enough for a registry to list it. */
export async function pushDemoImage(client: RegistryClient, name: string): Promise<string> {
  const { tag = 'latest' as Tag, digest: _, ...repository } = parseReference(name);
  const config = Buffer.from(JSON.stringify({ architecture: 'amd64', os: 'linux', config: { Labels: { name } } }));
  const described: Pick<Descriptor, 'mediaType' | 'digest' | 'size'> = {
    mediaType: 'application/vnd.oci.image.config.v1+json',
    digest: digestOf(config),
    size: config.length,
  };
  await client.uploadBlob({
    repository,
    digest: described.digest,
    size: described.size,
    read: async function* (offset: number) {
      yield config.subarray(offset);
    },
  });
  const bytes = Buffer.from(
    JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.ociManifest, config: described, layers: [] }),
  );
  const digest = digestOf(bytes);
  await client.putManifest(repository, tag, { bytes, mediaType: mediaTypes.ociManifest, digest });
  return digest;
}
