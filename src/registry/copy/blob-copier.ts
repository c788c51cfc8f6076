import { isAbort } from '../../base/index.ts';
import {
  type Descriptor,
  type Digest,
  isForeignLayerType,
  isSameRepository,
  type Repository,
  renderRepository,
} from '../../image/index.ts';
import type { RegistryClient } from '../client.ts';
import { type BlobPlaces, createBlobPlaces } from './blob-places.ts';
import type { CopyEvent, MutableTotals } from './events.ts';

/** One running copy: source, target, totals and event listener. */
export interface CopyContext {
  readonly source: Repository;
  readonly target: Repository;
  readonly isDryRun: boolean;
  /** On a dry run: blobs that would be at the target by now, because images of an index share layers. */
  readonly planned: Set<Digest>;
  readonly signal: AbortSignal | undefined;
  readonly totals: MutableTotals;
  readonly onEvent: (event: CopyEvent) => void;
}

/** Awaited before each piece of a layer, so that more urgent work can delay a copy. */
export type CopyThrottle = (signal?: AbortSignal) => Promise<void>;

type BlobCopyResult = 'copied' | 'mounted' | 'present' | 'foreign';

/** Places shared by copiers without `places`: a copier made for one image would otherwise never know a mount source. */
const placesOf = new WeakMap<RegistryClient, BlobPlaces>();

/** Copies blobs, each once per repository, however many images and callers need it. */
export class BlobCopier {
  private readonly underWay = new Map<string, Promise<BlobCopyResult>>();
  private readonly places: BlobPlaces;

  constructor(
    private readonly client: RegistryClient,
    private readonly throttle: CopyThrottle | undefined,
    given: BlobPlaces | undefined,
  ) {
    this.places = given ?? placesOf.get(client) ?? createBlobPlaces();
    if (given === undefined) placesOf.set(client, this.places);
  }

  async copy(context: CopyContext, blob: Descriptor): Promise<void> {
    const { target, totals, onEvent } = context;
    onEvent({ kind: 'blob-found', digest: blob.digest, size: blob.size });
    const result = await this.once(context, blob);
    if (result !== 'foreign' && !context.isDryRun) this.places.set(target.registry, blob.digest, target.path);
    if (result === 'copied') {
      totals.copiedBlobs++;
      totals.copiedBytes += blob.size;
      return onEvent({ kind: 'blob-copied', digest: blob.digest, size: blob.size });
    }
    if (result === 'mounted') totals.mountedBlobs++;
    if (result === 'present') totals.presentBlobs++;
    onEvent({ kind: 'blob-skipped', digest: blob.digest, size: blob.size, why: result });
  }

  private async once(context: CopyContext, blob: Descriptor): Promise<BlobCopyResult> {
    const { target, signal } = context;
    const key = `${target.registry}/${target.path}@${blob.digest}`;
    for (;;) {
      const running = this.underWay.get(key);
      if (running === undefined) break;
      try {
        const result = await running;
        return result === 'copied' || result === 'mounted' ? 'present' : result;
      } catch (thrown) {
        // The other copy was aborted; this one continues.
        if (!isAbort(thrown)) throw thrown;
        signal?.throwIfAborted();
      }
    }
    const mine = this.bring(context, blob);
    this.underWay.set(key, mine);
    try {
      return await mine;
    } finally {
      this.underWay.delete(key);
    }
  }

  private async bring(context: CopyContext, blob: Descriptor): Promise<BlobCopyResult> {
    const { source, target, signal, isDryRun, onEvent } = context;
    const { digest, size } = blob;
    if (isSameRepository(source, target)) return 'present';
    if ((await this.client.statBlob(target, digest, signal)) !== undefined) return 'present';
    const isForeign = blob.hasUrls && isForeignLayerType(blob.mediaType);
    if (isForeign && (await this.client.statBlob(source, digest, signal)) === undefined) return 'foreign';
    const mountFrom = this.placeOf(source, target, digest);
    if (isDryRun) {
      if (context.planned.has(digest)) return 'present';
      context.planned.add(digest);
      return mountFrom === undefined ? 'copied' : 'mounted';
    }
    const onResume = (offset: number, why: Error) =>
      onEvent({ kind: 'blob-resumed', digest, offset, why: why.message });
    const result = await this.client.uploadBlob({
      repository: target,
      digest,
      size,
      mountFrom,
      from: `${renderRepository(source)}/blobs/${digest}`,
      signal,
      read: (offset) =>
        this.paced(this.client.downloadBlob({ repository: source, digest, size, signal, onResume }, offset), signal),
      onProgress: (doneBytes) => onEvent({ kind: 'blob-progress', digest, size, doneBytes }),
      onResume,
    });
    return result === 'mounted' ? 'mounted' : 'copied';
  }

  private paced(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    const { throttle } = this;
    return throttle === undefined ? pieces : throttled(pieces, () => throttle(signal));
  }

  private placeOf(source: Repository, target: Repository, digest: Digest): Repository | undefined {
    if (source.registry === target.registry) return source;
    const path = this.places.get(target.registry, digest);
    return path === undefined || path === target.path ? undefined : { registry: target.registry, path };
  }
}

async function* throttled(
  pieces: AsyncIterable<Uint8Array>,
  throttle: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    await throttle();
    yield piece;
  }
}
