import { type MirroredImage, mirroredImages, ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, retryOf, rfc3339 } from '../base/index.ts';
import type { Reconcile } from '../controller/index.ts';
import { type CopyName, type ImageReference, parseReference } from '../image/index.ts';
import { type EventRecorder, isKubeError, type KubeClient } from '../kube/index.ts';
import { isRegistryError } from '../registry/index.ts';
import type { CopyImage } from './copy-image.ts';
import { createCopyProgress } from './copy-progress.ts';
import { type CopyStatus, writeStatus } from './copy-status.ts';
import type { CopyNames } from './desired-copies.ts';
import type { MirrorMetrics } from './metrics.ts';
import { conflictMessage } from './mirrored-images.ts';
import type { NameClaims } from './name-claims.ts';
import type { HeadCopy } from './presence.ts';

export interface CopyControllerOptions {
  readonly client: Pick<KubeClient, 'get' | 'patch' | 'delete'>;
  readonly imageOf: (key: string) => MirroredImage | undefined;
  readonly names: Pick<CopyNames, 'isCopy'>;
  readonly claims: NameClaims;
  readonly copy: CopyImage;
  /** The digest that the source has now. */
  readonly headSource: (
    image: MirroredImage,
    source: ImageReference,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly headCopy: HeadCopy;
  /** Whether everything that the manifest of a copy references is in the backup registry. */
  readonly isWhole: (copy: CopyName, digest: string, signal: AbortSignal) => Promise<boolean>;
  readonly installation: string;
  readonly recheckMs: number;
  /** Whether a moved tag of a source is copied again; an image may override it. */
  readonly follow: boolean;
  /** Whether a workload runs the image or its copy; undefined while that is unknown. */
  readonly isUsed: (image: MirroredImage) => boolean | undefined;
  /** How long a record that no workload uses is kept. */
  readonly keepUnusedMs: number;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: MirrorMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** An image to copy, with its names parsed. */
interface CopyJob {
  readonly image: MirroredImage;
  readonly source: ImageReference;
  readonly copy: CopyName;
}

/** Retry interval for a source that does not exist or cannot be read; only a user can fix that. */
const permanentRetryMs = 10 * 60 * 1000;
/** Retry sooner after a login failure: the pull secret may be corrected at any time. */
const unauthorizedRetryMs = 30 * 1000;

/** Makes the requested copies, one object at a time; runs on the leader only. */
export function createCopyController(options: CopyControllerOptions): Reconcile {
  return async (key, signal) => {
    const seen = options.imageOf(key);
    if (!seen || seen.metadata.labels?.[ownerLabel] !== options.installation) return {};
    const restMs = dueInMs(seen, options);
    if (restMs > 0) return { requeueAfterMs: restMs };
    // The watch may be behind our own last write.
    const image = await fresh(options.client, seen, signal);
    if (!image || image.metadata.deletionTimestamp !== undefined) return {};
    const freshRestMs = dueInMs(image, options);
    if (freshRestMs > 0) return { requeueAfterMs: freshRestMs };
    if (isUnused(image, options)) return retire(image, options, signal);
    const task = taskOf(image, options.names);
    if (typeof task === 'string') {
      await fail(image, task, options, signal);
      // Requeue, so that the record is deleted when it is unused: a copy in an earlier registry may still be in use.
      return { requeueAfterMs: options.recheckMs };
    }
    const next = image.status?.phase === 'Copied' ? await recheck(task, options, signal) : 'copy';
    return next === 'copy' ? copyOnce(task, options, signal) : { requeueAfterMs: next };
  };
}

/** A record that is not tried yet may belong to a workload that is being admitted. */
const isUnused = (image: MirroredImage, { isUsed }: CopyControllerOptions) =>
  (image.status?.phase === 'Copied' || image.status?.phase === 'Failed') && isUsed(image) === false;

/** Records since when the image is unused; deletes the record (never the copy) after `keepUnusedMs`. */
async function retire(image: MirroredImage, options: CopyControllerOptions, signal: AbortSignal) {
  const { client, clock, keepUnusedMs, recheckMs, log } = options;
  const { phase, unusedSince } = image.status!;
  const sinceMs = Date.parse(unusedSince ?? '');
  const nowMs = clock.now();
  if (nowMs - sinceMs < keepUnusedMs || Number.isNaN(sinceMs)) {
    const now = rfc3339(nowMs);
    await writeStatus(image, { phase: phase!, unusedSince: unusedSince || now, checkedAt: now }, options, signal);
    return { requeueAfterMs: Math.min(recheckMs, keepUnusedMs) };
  }
  const { name = '', uid = '', resourceVersion = '' } = image.metadata;
  try {
    await client.delete(mirroredImages, { name }, { preconditions: { uid, resourceVersion }, signal });
    log.info('record of an unused image deleted', { name, source: image.spec.source, unusedSince });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
  return {};
}

/** Milliseconds until a copied image is checked again; 0 for all others. */
function dueInMs({ status }: MirroredImage, { clock, recheckMs }: CopyControllerOptions): number {
  if (status?.phase !== 'Copied') return 0;
  const checkedMs = Date.parse(status.checkedAt ?? status.copiedAt ?? '');
  return Number.isNaN(checkedMs) ? 0 : Math.max(0, checkedMs + recheckMs - clock.now());
}

async function fresh(
  client: Pick<KubeClient, 'get'>,
  { metadata }: MirroredImage,
  signal: AbortSignal,
): Promise<MirroredImage | undefined> {
  try {
    return await client.get<MirroredImage>(mirroredImages, { name: metadata.name! }, { signal });
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}

/** Objects may be written by hand: copy only to the target registry, and never from it. */
function taskOf(image: MirroredImage, names: Pick<CopyNames, 'isCopy'>): CopyJob | string {
  try {
    const source = parseReference(image.spec.source);
    const copy = parseReference(image.spec.copy);
    if (source.tag === undefined && source.digest === undefined)
      return `${image.spec.source} has neither a tag nor a digest`;
    if (copy.tag === undefined) return `${image.spec.copy} has no tag`;
    if (!names.isCopy(copy)) return `${image.spec.copy} is not where copies go`;
    if (names.isCopy(source)) return `${image.spec.source} is where copies go; there is nothing to copy`;
    return { image, source, copy: { ...copy, tag: copy.tag } };
  } catch (thrown) {
    return errorMessage(thrown);
  }
}

/** Milliseconds until the next check, or `copy` when the copy or a part of it is gone or the source's tag moved. */
async function recheck(
  { image, source, copy }: CopyJob,
  options: CopyControllerOptions,
  signal: AbortSignal,
): Promise<number | 'copy'> {
  const { clock, recheckMs } = options;
  const { digest } = image.status!;
  const [copyDigest, sourceDigest] = await Promise.all([
    options.headCopy(copy, signal),
    // Ignore a source that cannot be reached: the copy exists for exactly that case.
    source.digest ?? options.headSource(image, source, signal).catch(() => undefined),
  ]);
  if (digest === undefined || copyDigest !== digest) return 'copy';
  // A registry that lost a layer still serves the manifest.
  if (!(await options.isWhole(copy, digest, signal))) return 'copy';
  const hasMoved = sourceDigest !== undefined && sourceDigest !== digest;
  if (hasMoved && (image.spec.follow ?? options.follow)) return 'copy';
  const message = hasMoved ? `the tag of the source moved to ${sourceDigest}; it is not followed` : '';
  await writeStatus(
    image,
    {
      phase: 'Copied',
      message,
      checkedAt: rfc3339(clock.now()),
      unusedSince: '',
      ...(sourceDigest ? { sourceDigest } : {}),
    },
    options,
    signal,
  );
  return recheckMs;
}

async function copyOnce(task: CopyJob, options: CopyControllerOptions, signal: AbortSignal) {
  const { clock, metrics, claims, log } = options;
  const { image } = task;
  const conflicting = await claims.claim(image);
  if (conflicting !== undefined) {
    await fail(image, conflictMessage(image.spec.copy, conflicting), options, signal);
    return { requeueAfterMs: permanentRetryMs };
  }
  let current = image;
  const note = async (changes: CopyStatus) => {
    current = await writeStatus(current, changes, options, signal);
  };
  const progress = createCopyProgress(clock, note);
  metrics.copying(1);
  try {
    const attempts = (image.status?.attempts ?? 0) + 1;
    await note({ phase: 'Copying', attempts, message: '', bytesTotal: 0, bytesCopied: 0 });
    const result = await options.copy({ ...task, signal, onEvent: progress.onEvent });
    await progress.settled();
    const now = rfc3339(clock.now());
    const { digest, copiedBytes } = result;
    await note({ phase: 'Copied', digest, sourceDigest: digest, copiedAt: now, checkedAt: now, ...progress.whole });
    metrics.copied(result.state === 'present' ? 'present' : 'copied', copiedBytes);
    const { source: from, copy: to } = image.spec;
    log.info('image copied', { from, to, digest, bytes: copiedBytes, ms: Math.round(result.durationMs) });
    return { requeueAfterMs: options.recheckMs };
  } catch (thrown) {
    await progress.settled();
    if (signal.aborted) throw thrown;
    metrics.copied('failed', 0);
    await fail(current, errorMessage(thrown), options, signal);
    if (isUnauthorized(thrown)) return { requeueAfterMs: unauthorizedRetryMs };
    if (isRegistryError(thrown, 'registry-not-found')) return { requeueAfterMs: absentRetryMs(current) };
    if (retryOf(thrown) === 'never') return { requeueAfterMs: permanentRetryMs };
    throw thrown;
  } finally {
    metrics.copying(-1);
    claims.release(image);
  }
}

/**
 * Some registries answer 404 for what a login may not read. Retry soon at first, for a corrected pull secret, then
 * rarely.
 */
const absentRetryMs = ({ status }: MirroredImage) =>
  Math.min(permanentRetryMs, unauthorizedRetryMs * 2 ** ((status?.attempts ?? 1) - 1));

const isUnauthorized = (thrown: unknown) =>
  isRegistryError(thrown, 'registry-unauthorized') || isRegistryError(thrown, 'registry-forbidden');

async function fail(
  image: MirroredImage,
  message: string,
  options: CopyControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const checkedAt = rfc3339(options.clock.now());
  await writeStatus(image, { phase: 'Failed', message, checkedAt }, options, signal);
  const { apiVersion, kind, metadata } = image;
  options.events.record(
    { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid },
    { type: 'Warning', reason: 'CopyFailed', message },
  );
}
