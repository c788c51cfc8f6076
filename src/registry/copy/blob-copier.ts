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

/** One copy on its way: from where to where, and who wants to know. */
export interface CopyContext {
  readonly source: Repository;
  readonly target: Repository;
  readonly isDryRun: boolean;
  /** On a dry run, what would be at the target by now: images of an index share layers. */
  readonly planned: Set<Digest>;
  readonly signal: AbortSignal | undefined;
  readonly totals: MutableTotals;
  readonly tell: (event: CopyEvent) => void;
}

/** Awaited before each piece of a layer: whoever has more urgent things to do lets it wait. */
export type CopyThrottle = (signal?: AbortSignal) => Promise<void>;

type Outcome = 'copied' | 'mounted' | 'present' | 'foreign';

/** For copiers that are given none: one that is made for each image would never know of a place. */
const placesOf = new WeakMap<RegistryClient, BlobPlaces>();

/** Copies blobs, each to a repository once, whoever asks for it how often and from how many images. */
export class BlobCopier {
  private readonly underWay = new Map<string, Promise<Outcome>>();
  private readonly places: BlobPlaces;

  constructor(
    private readonly client: RegistryClient,
    private readonly pace: CopyThrottle | undefined,
    given: BlobPlaces | undefined,
  ) {
    this.places = given ?? placesOf.get(client) ?? createBlobPlaces();
    if (given === undefined) placesOf.set(client, this.places);
  }

  async copy(context: CopyContext, blob: Descriptor): Promise<void> {
    const { target, totals, tell } = context;
    tell({ kind: 'blob-found', digest: blob.digest, size: blob.size });
    const outcome = await this.once(context, blob);
    if (outcome !== 'foreign' && !context.isDryRun) this.places.set(target.registry, blob.digest, target.path);
    if (outcome === 'copied') {
      totals.copiedBlobs++;
      totals.copiedBytes += blob.size;
      return tell({ kind: 'blob-copied', digest: blob.digest, size: blob.size });
    }
    if (outcome === 'mounted') totals.mountedBlobs++;
    if (outcome === 'present') totals.presentBlobs++;
    tell({ kind: 'blob-skipped', digest: blob.digest, size: blob.size, why: outcome });
  }

  private async once(context: CopyContext, blob: Descriptor): Promise<Outcome> {
    const { target, signal } = context;
    const key = `${target.registry}/${target.path}@${blob.digest}`;
    for (;;) {
      const running = this.underWay.get(key);
      if (running === undefined) break;
      try {
        const outcome = await running;
        return outcome === 'copied' || outcome === 'mounted' ? 'present' : outcome;
      } catch (thrown) {
        // Another copy was called off in the middle of it; this one goes on.
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

  private async bring(context: CopyContext, blob: Descriptor): Promise<Outcome> {
    const { source, target, signal, isDryRun, tell } = context;
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
    const onResume = (offset: number, why: Error) => tell({ kind: 'blob-resumed', digest, offset, why: why.message });
    const outcome = await this.client.uploadBlob({
      repository: target,
      digest,
      size,
      mountFrom,
      from: `${renderRepository(source)}/blobs/${digest}`,
      signal,
      read: (offset) =>
        this.paced(this.client.downloadBlob({ repository: source, digest, size, signal, onResume }, offset), signal),
      onProgress: (doneBytes) => tell({ kind: 'blob-progress', digest, size, doneBytes }),
      onResume,
    });
    return outcome === 'mounted' ? 'mounted' : 'copied';
  }

  private paced(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
    const { pace } = this;
    return pace === undefined ? pieces : atPace(pieces, () => pace(signal));
  }

  private placeOf(source: Repository, target: Repository, digest: Digest): Repository | undefined {
    if (source.registry === target.registry) return source;
    const path = this.places.get(target.registry, digest);
    return path === undefined || path === target.path ? undefined : { registry: target.registry, path };
  }
}

async function* atPace(pieces: AsyncIterable<Uint8Array>, pace: () => Promise<void>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    await pace();
    yield piece;
  }
}
