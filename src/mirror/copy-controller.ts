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
  /** Whether all that the manifest of a copy names is in the backup registry. */
  readonly isWhole: (copy: CopyName, digest: string, signal: AbortSignal) => Promise<boolean>;
  readonly installation: string;
  readonly recheckMs: number;
  /** A tag of a source that moved is copied again; an image may say otherwise for itself. */
  readonly follow: boolean;
  /** Whether a workload runs the image or its copy; undefined while that is not known. */
  readonly isUsed: (image: MirroredImage) => boolean | undefined;
  /** How long a record that no workload uses is kept. */
  readonly keepUnusedMs: number;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: MirrorMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is to be done for an image, once its names are understood. */
interface Task {
  readonly image: MirroredImage;
  readonly source: ImageReference;
  readonly copy: CopyName;
}

/** A source that does not exist, or may not be read, is tried again when somebody may have done something about it. */
const hopelessRetryMs = 10 * 60 * 1000;
/** Somebody corrects a pull secret while they look at the failure. */
const unauthorizedRetryMs = 30 * 1000;

/** Makes the copies that were asked for, one object at a time; on the leader alone. */
export function createCopyController(options: CopyControllerOptions): Reconcile {
  return async (key, signal) => {
    const seen = options.imageOf(key);
    if (!seen || seen.metadata.labels?.[ownerLabel] !== options.installation) return {};
    const restMs = dueInMs(seen, options);
    if (restMs > 0) return { requeueAfterMs: restMs };
    // What the watch shows may be from before our own last note.
    const image = await fresh(options.client, seen, signal);
    if (!image || image.metadata.deletionTimestamp !== undefined) return {};
    const freshRestMs = dueInMs(image, options);
    if (freshRestMs > 0) return { requeueAfterMs: freshRestMs };
    if (isIdle(image, options)) return retire(image, options, signal);
    const task = taskOf(image, options.names);
    if (typeof task === 'string') {
      await fail(image, task, options, signal);
      // Looked at again for its end: a copy in a registry of before may still be used.
      return { requeueAfterMs: options.recheckMs };
    }
    const next = image.status?.phase === 'Copied' ? await lookAgain(task, options, signal) : 'copy';
    return next === 'copy' ? copyOnce(task, options, signal) : { requeueAfterMs: next };
  };
}

/** What is ordered and not tried yet may be for a workload that is being admitted. */
const isIdle = (image: MirroredImage, { isUsed }: CopyControllerOptions) =>
  (image.status?.phase === 'Copied' || image.status?.phase === 'Failed') && isUsed(image) === false;

/** Notes since when nobody uses it; deletes the record (never the copy) when that is long ago. */
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
    log.info('the record of an unused image is deleted', { name, source: image.spec.source, unusedSince });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
  return {};
}

/** Milliseconds until an image that was copied is looked at again; 0 for all others. */
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

/** Objects may be written by hand: nothing is copied to where copies do not go, nor from there. */
function taskOf(image: MirroredImage, names: Pick<CopyNames, 'isCopy'>): Task | string {
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

/** Milliseconds to the next look, or `copy` when the copy or a part of it is gone or the source's tag moved. */
async function lookAgain(
  { image, source, copy }: Task,
  options: CopyControllerOptions,
  signal: AbortSignal,
): Promise<number | 'copy'> {
  const { clock, recheckMs } = options;
  const { digest } = image.status!;
  const [copyDigest, sourceDigest] = await Promise.all([
    options.headCopy(copy, signal),
    // A source that cannot be seen now says nothing: the copy is there for that very case.
    source.digest ?? options.headSource(image, source, signal).catch(() => undefined),
  ]);
  if (digest === undefined || copyDigest !== digest) return 'copy';
  // A registry that lost a layer still answers for the manifest.
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

async function copyOnce(task: Task, options: CopyControllerOptions, signal: AbortSignal) {
  const { clock, metrics, claims, log } = options;
  const { image } = task;
  const conflicting = await claims.claim(image);
  if (conflicting !== undefined) {
    await fail(image, conflictMessage(image.spec.copy, conflicting), options, signal);
    return { requeueAfterMs: hopelessRetryMs };
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
    await note({ phase: 'Copied', digest, sourceDigest: digest, copiedAt: now, checkedAt: now, ...progress.bytes });
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
    if (retryOf(thrown) === 'never') return { requeueAfterMs: hopelessRetryMs };
    throw thrown;
  } finally {
    metrics.copying(-1);
    claims.release(image);
  }
}

/** Some registries hide what a login may not read: soon at first, for a pull secret that is corrected, then rarely. */
const absentRetryMs = ({ status }: MirroredImage) =>
  Math.min(hopelessRetryMs, unauthorizedRetryMs * 2 ** ((status?.attempts ?? 1) - 1));

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
