import type { MirroredImage } from '../api/index.ts';
import type { Logger } from '../base/index.ts';
import { type CopyName, type Digest, type ImageReference, renderReference, tagOfDigest } from '../image/index.ts';
import {
  type BlobPlaces,
  type CopyEvent,
  type CopyResult,
  createCopier,
  isRegistryError,
  type RegistryClient,
} from '../registry/index.ts';
import { copyTag } from './desired-copies.ts';

export interface CopyTask {
  readonly image: MirroredImage;
  readonly source: ImageReference;
  readonly copy: CopyName;
  readonly signal: AbortSignal;
  readonly onEvent: (event: CopyEvent) => void;
}

export type CopyImage = (task: CopyTask) => Promise<CopyResult>;

export interface CopyImageOptions {
  /**
   * Calls back with a client that has the image's credentials and its namespaces' credentials for the backup registry.
   */
  readonly withClient: <T>(
    image: MirroredImage,
    work: (client: RegistryClient, places: BlobPlaces) => Promise<T>,
  ) => Promise<T>;
  /** Gives every digest its own tag, so that references by digest stay valid when the tag moves. */
  readonly keepsDigests: boolean;
  readonly follow: boolean;
  /** Awaited before each chunk of a layer. */
  readonly pace?: (signal?: AbortSignal) => Promise<void>;
  readonly log: Logger;
}

/**
 * Copies one image. An image that was copied before and is not followed is copied by its digest again: when a copy is
 * lost, a moved source tag must not change what workloads run.
 */
export function createCopyImage({ withClient, keepsDigests, follow, pace, log }: CopyImageOptions): CopyImage {
  return ({ image, source, copy, signal, onEvent }) =>
    withClient(image, async (client, places) => {
      const copier = createCopier(client, { throttle: pace, places });
      const { registry, path } = copy;
      const target = { registry, path, tag: copyTag(copy) };
      const before = image.status?.digest as Digest | undefined;
      const pinned = before !== undefined && !(image.spec.follow ?? follow) && source.digest === undefined;
      const request = { target, verify: true, signal, onEvent };
      const result = await (pinned
        ? copier.copy({ ...request, source: { ...source, digest: before } }).catch((thrown) => {
            if (!isRegistryError(thrown, 'registry-not-found')) throw thrown;
            log.warn('the source no longer has the recorded digest; copying what its tag points to now', {
              source: renderReference(source),
              digest: before,
            });
            return copier.copy({ ...request, source });
          })
        : copier.copy({ ...request, source }));
      if (keepsDigests && source.digest === undefined) {
        const manifest = await client.getManifest(target, result.digest, signal);
        await client.putManifest(target, tagOfDigest(result.digest), manifest, signal);
      }
      return result;
    });
}
