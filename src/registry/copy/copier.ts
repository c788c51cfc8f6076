import { setMaxListeners } from 'node:events';
import { type Clock, linkAbort, mapConcurrent, systemClock } from '../../base/index.ts';
import { type Digest, type ImageReference, type Platform, renderReference, type Tag } from '../../image/index.ts';
import type { RegistryClient } from '../client.ts';
import { isRegistryError, RegistryError } from '../errors.ts';
import type { FetchedManifest } from '../manifests.ts';
import { BlobCopier, type CopyContext, type CopyThrottle } from './blob-copier.ts';
import type { BlobPlaces } from './blob-places.ts';
import { type CopyEvent, type CopyTotals, noTotals } from './events.ts';
import { findMissing } from './missing.ts';
import { selectPlatforms } from './platform-subset.ts';
import { copyReferrers } from './referrers.ts';

export type { CopyEvent } from './events.ts';

export interface CopyRequest {
  /** By tag or digest. With both, the digest is copied. */
  readonly source: ImageReference;
  /** The repository and tag of the copy. Without a tag it can only be pulled by digest. */
  readonly target: ImageReference;
  /** Copy only these platforms of an index. Only for tags: the remaining index has another digest. */
  readonly platforms?: readonly Platform[] | undefined;
  /** Also copy signatures, SBOMs and attestations. Default: true. */
  readonly referrers?: boolean;
  /** Checks every blob of an image that the target already has, and copies those that were deleted there. */
  readonly verify?: boolean;
  /** Reports what would be copied and writes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: CopyEvent) => void;
}

export interface CopyResult extends CopyTotals {
  /** The digest by which the copy can be pulled. */
  readonly digest: Digest;
  readonly mediaType: string;
  /** `present`: the target had it already. `planned`: a dry run that found work. */
  readonly state: 'copied' | 'present' | 'planned';
  readonly durationMs: number;
}

interface CopierOptions {
  readonly clock?: Clock;
  /** Without it, copies are not throttled. */
  readonly throttle?: CopyThrottle | undefined;
  /** Repositories to mount layers from. Default: those that copiers of this client have filled. */
  readonly places?: BlobPlaces | undefined;
}

export interface ImageCopier {
  copy(request: CopyRequest): Promise<CopyResult>;
}

const maxDepth = 5;
/** Limit of manifests in one copy, referrers included. */
const maxManifests = 5000;
/** Time limit of a copy: a base and the declared bytes at a slow rate. Blobs that were copied by then stay. */
const copyTime = { baseMs: 10 * 60_000, bytesPerMs: 1024, maxMs: 6 * 3_600_000 };
const blobsAtOnce = 8;
const manifestsAtOnce = 4;

/**
 * Copies images. The tag is resolved once and everything after uses digests, so that a tag that moves cannot mix two
 * images. A manifest is put after all its blobs and manifests, and the tag last.
 */
export function createCopier(client: RegistryClient, options: CopierOptions = {}): ImageCopier {
  const { clock = systemClock, throttle, places } = options;
  const blobs = new BlobCopier(client, throttle, places);
  return {
    async copy(request) {
      check(request);
      request.signal?.throwIfAborted();
      // The first error aborts the other transfers.
      const aborter = linkAbort(request.signal);
      // Every request of the copy listens to this signal. The lanes bound their number, so Node's default limit of ten
      // does not apply.
      setMaxListeners(0, aborter.signal);
      const startedAt = clock.monotonicMs();
      let bytes = 0;
      const onEvent = (event: CopyEvent) => {
        if (event.kind === 'blob-found') bytes += event.size;
        request.onEvent?.(event);
      };
      const look = () => {
        const allowedMs = Math.min(copyTime.maxMs, copyTime.baseMs + bytes / copyTime.bytesPerMs);
        const leftMs = startedAt + allowedMs - clock.monotonicMs();
        if (leftMs > 0) cancelTimer = clock.after(Math.max(leftMs, 1000), look);
        else aborter.abort(tooLong(request, allowedMs));
      };
      let cancelTimer = clock.after(copyTime.baseMs, look);
      try {
        const done = await copyImage(client, blobs, { ...request, onEvent, signal: aborter.signal });
        return { ...done, durationMs: clock.monotonicMs() - startedAt };
      } catch (thrown) {
        aborter.abort(new DOMException('the copy failed elsewhere', 'AbortError'));
        throw thrown;
      } finally {
        cancelTimer();
        aborter.unlink();
      }
    },
  };
}

async function copyImage(
  client: RegistryClient,
  blobs: BlobCopier,
  request: CopyRequest,
): Promise<Omit<CopyResult, 'durationMs'>> {
  const { source, target, signal, dryRun: isDryRun = false } = request;
  const totals = noTotals();
  const onEvent = request.onEvent ?? (() => undefined);
  const context: CopyContext = { source, target, isDryRun, planned: new Set(), signal, totals, onEvent: onEvent };
  // Query the target in parallel with resolving the source: finding the endpoint and logging in takes as long on both
  // sides.
  const early = target.tag === undefined ? undefined : client.headManifest(target, target.tag, signal);
  early?.catch(() => undefined);
  const root = await resolve(client, request);
  const { digest, mediaType } = root;
  onEvent({ kind: 'resolved', digest, mediaType });
  const there = await (early ?? client.headManifest(target, digest, signal));
  const hasManifest = there?.digest === digest;
  const isRepair =
    hasManifest && request.verify === true && (await findMissing(client, target, digest, signal)).length > 0;
  const isThere = hasManifest && !isRepair;
  if (!isThere) await copyTree(client, blobs, context, { root, tag: target.tag, depth: 0, isRepair });
  if (request.referrers !== false)
    totals.referrers = await copyReferrers(client, context, digest, root.fetched, (fetched) =>
      copyTree(client, blobs, context, { root: { ...fetched, fetched }, tag: undefined, depth: 0 }),
    );
  const isDone = isThere && totals.manifests === 0;
  return { ...totals, digest, mediaType, state: isDone ? 'present' : isDryRun ? 'planned' : 'copied' };
}

const tooLong = ({ source }: CopyRequest, allowedMs: number) =>
  new RegistryError(
    'registry-too-slow',
    `${renderReference(source)} was not copied within ${Math.round(allowedMs / 60_000)} minutes`,
    { registry: source.registry, retry: 'backoff' },
  );

function check({ source, platforms }: CopyRequest): void {
  const refuse = (why: string) =>
    new RegistryError('registry-usage', `${renderReference(source)} cannot be copied: ${why}`, {
      registry: source.registry,
    });
  if (source.tag === undefined && source.digest === undefined) throw refuse('it has neither a tag nor a digest');
  if (platforms !== undefined && platforms.length > 0 && source.digest !== undefined)
    throw refuse(
      'it is named by its digest, and with some platforms left out the copy would have another; name it by tag',
    );
}

/** The digest to copy, and the manifest's bytes where they had to be read to know the digest. */
interface Root {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly fetched: FetchedManifest | undefined;
}

async function resolve(client: RegistryClient, { source, platforms = [], signal }: CopyRequest): Promise<Root> {
  const reference = source.digest ?? source.tag!;
  const head = await client.headManifest(source, reference, signal);
  if (head === undefined)
    throw new RegistryError(
      'registry-not-found',
      `${renderReference(source)} does not exist; check the name, and whether the credentials may read it`,
      { registry: source.registry, status: 404 },
    );
  if (platforms.length === 0) return { digest: head.digest, mediaType: head.mediaType, fetched: undefined };
  const whole = await client.getManifest(source, head.digest, signal);
  const fetched = await selectPlatforms(client, source, whole, platforms, signal);
  return { digest: fetched.digest, mediaType: fetched.mediaType, fetched };
}

interface Node {
  readonly root: Root;
  readonly tag: Tag | undefined;
  readonly depth: number;
  /** The target has the manifests, but not everything that they name. */
  readonly isRepair?: boolean;
}

async function copyTree(client: RegistryClient, blobs: BlobCopier, context: CopyContext, node: Node): Promise<void> {
  const { source, target, signal, totals, onEvent, isDryRun } = context;
  const { root, tag, depth, isRepair = false } = node;
  if (depth > maxDepth)
    throw new RegistryError('registry-bad-response', `${source.path} has indexes nested more than ${maxDepth} deep`, {
      registry: source.registry,
    });
  if (depth > 0 && !isRepair && (await client.headManifest(target, root.digest, signal)) !== undefined) return;
  const fetched = root.fetched ?? (await client.getManifest(source, root.digest, signal));
  const { manifest } = fetched;
  const unique = [...new Map(manifest.blobs.map((blob) => [blob.digest, blob])).values()];
  await mapConcurrent(manifest.manifests, manifestsAtOnce, (child) =>
    copyTree(client, blobs, context, {
      root: { ...child, fetched: undefined },
      tag: undefined,
      depth: depth + 1,
      isRepair,
    }).catch((thrown) => {
      throw isRegistryError(thrown, 'registry-not-found') ? incomplete(context, fetched, child.digest, thrown) : thrown;
    }),
  );
  await mapConcurrent(unique, blobsAtOnce, (blob) => blobs.copy(context, blob));
  if (++totals.manifests > maxManifests)
    throw new RegistryError('registry-bad-response', `${source.path} names more than ${maxManifests} manifests`, {
      registry: source.registry,
    });
  if (isDryRun) return;
  const put = await client.putManifest(target, tag ?? fetched.digest, fetched, signal);
  const subject = manifest.subject?.digest;
  if (subject !== undefined && !put.isSubjectKnown) await client.enterReferrer(target, subject, fetched, signal);
  onEvent({ kind: 'manifest-put', digest: fetched.digest, ...(tag === undefined ? {} : { tag }) });
}

function incomplete({ source }: CopyContext, index: FetchedManifest, child: Digest, cause: unknown): RegistryError {
  return new RegistryError(
    'registry-not-found',
    `${source.registry}/${source.path}: the index ${index.digest} names ${child}, and something of it is not there; ` +
      'copy the platforms you need by tag, or push the image again',
    { registry: source.registry, status: 404, cause },
  );
}
