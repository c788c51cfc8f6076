import { setMaxListeners } from 'node:events';
import { type Clock, mapConcurrent, systemClock } from '../../base/index.ts';
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
  /** By tag or digest; with both, the digest is what is copied. */
  readonly source: ImageReference;
  /** The repository of the copy, and the tag it gets. Without a tag it can be pulled by digest only. */
  readonly target: ImageReference;
  /** Only these platforms of an index; possible for tags alone, because what is left has another digest. */
  readonly platforms?: readonly Platform[] | undefined;
  /** Signatures, SBOMs and attestations too. True unless said otherwise. */
  readonly referrers?: boolean;
  /** Asks for every blob of an image that the target has already, and copies those that were deleted there. */
  readonly verify?: boolean;
  /** Finds out what would be copied, and writes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: (event: CopyEvent) => void;
}

export interface CopyResult extends CopyTotals {
  /** What the copy can be pulled by. */
  readonly digest: Digest;
  readonly mediaType: string;
  /** `present`: the target had it already. `planned`: a dry run that found something to do. */
  readonly state: 'copied' | 'present' | 'planned';
  readonly durationMs: number;
}

export interface CopierOptions {
  readonly clock?: Clock;
  /** Without it a copy is as fast as it can be. */
  readonly pace?: CopyThrottle | undefined;
  /** Where layers can be mounted from; what copiers of this client brought when left out. */
  readonly places?: BlobPlaces | undefined;
}

export interface ImageCopier {
  copy(request: CopyRequest): Promise<CopyResult>;
}

const maxDepth = 5;
/** Manifests of one copy, referrers among them. */
const maxManifests = 5000;
/** A copy may take this long and what its declared bytes need at a slow rate; blobs that are there by then stay. */
const copyTime = { baseMs: 10 * 60_000, bytesPerMs: 1024, maxMs: 6 * 3_600_000 };
const blobsAtOnce = 8;
const manifestsAtOnce = 4;

/**
 * Copies images. The tag is resolved once and everything after goes by digest, so that a tag that moves meanwhile cannot
 * mix two images. A manifest is put when all its blobs and manifests are there, the tag last of all.
 */
export function createCopier(client: RegistryClient, options: CopierOptions = {}): ImageCopier {
  const { clock = systemClock, pace, places } = options;
  const blobs = new BlobCopier(client, pace, places);
  return {
    async copy(request) {
      check(request);
      // The first failure calls off what else is under way.
      const calledOff = new AbortController();
      // Every request of the copy listens to it; their number is bounded by the lanes, not by Node's guess of ten.
      setMaxListeners(0, calledOff.signal);
      const onAbort = () => calledOff.abort(request.signal?.reason);
      request.signal?.throwIfAborted();
      request.signal?.addEventListener('abort', onAbort, { once: true });
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
        else calledOff.abort(tooLong(request, allowedMs));
      };
      let cancelTimer = clock.after(copyTime.baseMs, look);
      try {
        const done = await copyImage(client, blobs, { ...request, onEvent, signal: calledOff.signal });
        return { ...done, durationMs: clock.monotonicMs() - startedAt };
      } catch (thrown) {
        calledOff.abort(new DOMException('the copy failed elsewhere', 'AbortError'));
        throw thrown;
      } finally {
        cancelTimer();
        request.signal?.removeEventListener('abort', onAbort);
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
  const tell = request.onEvent ?? (() => undefined);
  const context: CopyContext = { source, target, isDryRun, planned: new Set(), signal, totals, tell };
  // The target is asked before anybody knows for what: finding it and logging in takes as long as at the source.
  const early = target.tag === undefined ? undefined : client.headManifest(target, target.tag, signal);
  early?.catch(() => undefined);
  const root = await resolve(client, request);
  const { digest, mediaType } = root;
  tell({ kind: 'resolved', digest, mediaType });
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

/** What is copied: its digest, and its bytes where they had to be read to know it. */
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
      `${renderReference(source)} is not there; check the name, and whether the credentials may read it`,
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
  /** Manifests are there, but not all that they name. */
  readonly isRepair?: boolean;
}

async function copyTree(client: RegistryClient, blobs: BlobCopier, context: CopyContext, node: Node): Promise<void> {
  const { source, target, signal, totals, tell, isDryRun } = context;
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
  tell({ kind: 'manifest-put', digest: fetched.digest, ...(tag === undefined ? {} : { tag }) });
}

function incomplete({ source }: CopyContext, index: FetchedManifest, child: Digest, cause: unknown): RegistryError {
  return new RegistryError(
    'registry-not-found',
    `${source.registry}/${source.path}: the index ${index.digest} names ${child}, and something of it is not there; ` +
      'copy the platforms you need by tag, or push the image again',
    { registry: source.registry, status: 404, cause },
  );
}
