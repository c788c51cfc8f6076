import { mapConcurrent } from '../../base/index.ts';
import { type Digest, isForeignLayerType, type Repository, type Tag } from '../../image/index.ts';
import type { RegistryClient } from '../client.ts';
import { isRegistryError } from '../errors.ts';

const atOnce = 8;

/**
 * The digests of manifests and blobs that an image names and the registry does not have. Empty for a complete image.
 * Tests use it as the oracle for complete copies.
 */
export async function findMissing(
  client: RegistryClient,
  repository: Repository,
  reference: Tag | Digest,
  signal?: AbortSignal,
): Promise<readonly (Tag | Digest)[]> {
  try {
    const { manifest } = await client.getManifest(repository, reference, signal);
    const needed = manifest.blobs.filter((blob) => !(blob.hasUrls && isForeignLayerType(blob.mediaType)));
    const blobs = await mapConcurrent(needed, atOnce, async ({ digest }) =>
      (await client.statBlob(repository, digest, signal)) === undefined ? [digest] : [],
    );
    const children = await mapConcurrent(manifest.manifests, atOnce, ({ digest }) =>
      findMissing(client, repository, digest, signal),
    );
    return [...blobs.flat(), ...children.flat()];
  } catch (thrown) {
    if (isRegistryError(thrown, 'registry-not-found')) return [reference];
    throw thrown;
  }
}
