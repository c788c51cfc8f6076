import {
  allowsReferenceFrom,
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  type ResourceTemplate,
} from '../api/index.ts';
import { type Clock, errorMessage, type Logger, SupercargoError } from '../base/index.ts';
import type { Reconcile, ReconcileResult } from '../controller/index.ts';
import { parseRegistryHost } from '../image/index.ts';
import { type EventRecorder, eventSubjectOf, isKubeError, type KubeClient } from '../kube/index.ts';
import { findCondition, keyOf, parseDurationMs, semanticEqual } from '../object/index.ts';
import { type DetectedOptions, detectedObject, isSameDetection } from './detected-object.ts';
import { defaultConcurrentScans, type IsCopy } from './image-source.ts';
import type { DetectMetrics } from './metrics.ts';
import { addDates, findNewDetections, updateLastDetected } from './new-detections.ts';
import type { OpenSource } from './open-source.ts';
import { compileImagePattern, type ImageMatcher } from './pattern.ts';
import { type ChosenImage, scan } from './scan.ts';
import { nextPolicyStatus, type ScanOutcome, scanSummary } from './scan-outcome.ts';
import { openTagHistory, rememberTags } from './seen-tags.ts';
import { compileSelection, type Selection } from './selection.ts';

interface DetectorOptions {
  readonly client: KubeClient;
  /** By `namespace/name`; undefined if it does not exist. */
  readonly policyOf: (key: string) => ImageResourcePolicy | undefined;
  /** By `namespace/name`; undefined if it does not exist. */
  readonly templateOf: (key: string) => ResourceTemplate | undefined;
  readonly openSource: OpenSource;
  readonly isCopy: IsCopy;
  readonly installation: string;
  readonly events: EventRecorder;
  readonly metrics: DetectMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Plan {
  readonly matcher: ImageMatcher;
  readonly selection: Selection;
}

/** Reconciles one policy: scans when due, creates detections, writes the status. */
export function createDetector(options: DetectorOptions): Reconcile {
  const { policyOf, clock } = options;
  return async (key, signal) => {
    const policy = policyOf(key);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return {};
    const intervalMs = Math.max(1000, parseDurationMs(policy.spec.interval ?? '5m'));
    const isDue = policy.spec.suspend || deniedTemplate(policy, options) !== undefined;
    const waitMs = isDue ? 0 : dueInMs(policy, intervalMs, clock.now());
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const outcome = policy.spec.suspend ? { kind: 'suspended' as const } : await lookAt(policy, options, signal);
    await writeStatus(policy, outcome, options, signal);
    return resultOf(outcome, intervalMs);
  };
}

function resultOf(outcome: ScanOutcome, intervalMs: number): ReconcileResult {
  if (outcome.kind === 'failed')
    // Thrown so that failures back off; the condition already has the reason.
    throw new SupercargoError('detect-scan-failed', outcome.message, { retry: 'backoff' });
  return outcome.kind === 'scanned' ? { requeueAfterMs: intervalMs } : {};
}

/** Our own status update must not cause the next scan; a changed spec must. */
function dueInMs({ metadata, status }: ImageResourcePolicy, intervalMs: number, nowMs: number): number {
  const isNew = status?.observedGeneration !== metadata.generation;
  const ready = findCondition(status?.conditions, 'Ready');
  if (isNew || status?.lastScanTime === undefined || ready?.reason !== 'Scanned') return 0;
  return Math.max(0, Date.parse(status.lastScanTime) + intervalMs - nowMs);
}

async function lookAt(
  policy: ImageResourcePolicy,
  options: DetectorOptions,
  signal: AbortSignal,
): Promise<ScanOutcome> {
  const plan = planOf(policy);
  if ('kind' in plan) return plan;
  const denied = deniedTemplate(policy, options);
  if (denied !== undefined) return { kind: 'stalled', reason: 'AccessDenied', message: denied };
  const source = policy.spec.ecrRepository ?? policy.spec.ociRepository!;
  const timeoutMs = parseDurationMs(source.scanTimeout ?? '5m');
  const deadline = AbortSignal.timeout(timeoutMs);
  const startedMs = options.clock.monotonicMs();
  try {
    const outcome = await scanOnce(policy, plan, options, AbortSignal.any([signal, deadline]));
    options.metrics.scanned(outcome.scan.failures.length > 0 ? 'partial' : 'success', secondsSince(startedMs, options));
    return outcome;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    options.metrics.scanned('failure', secondsSince(startedMs, options));
    const message = deadline.aborted
      ? `the scan took longer than scanTimeout (${source.scanTimeout ?? '5m'})`
      : errorMessage(thrown);
    options.events.record(eventSubjectOf(policy), { type: 'Warning', reason: 'ScanFailed', message });
    return { kind: 'failed', message };
  }
}

const secondsSince = (startedMs: number, { clock }: DetectorOptions) => (clock.monotonicMs() - startedMs) / 1000;

/** An error in the policy is reported in its status and not retried. */
function planOf({ spec }: ImageResourcePolicy): Plan | Extract<ScanOutcome, { kind: 'stalled' }> {
  const stalled = (message: string) => ({ kind: 'stalled' as const, reason: 'InvalidPolicy', message });
  const source = spec.ecrRepository ?? spec.ociRepository;
  const name = spec.ecrRepository ? 'spec.ecrRepository' : 'spec.ociRepository';
  if (!source || (spec.ecrRepository && spec.ociRepository))
    return stalled('spec: exactly one of ecrRepository, ociRepository must be set');
  try {
    parseDurationMs(source.scanTimeout ?? '5m');
    if (spec.ociRepository) prefixed(`${name}.registry`, () => parseRegistryHost(spec.ociRepository!.registry));
    const matcher = prefixed(name, () => compileImagePattern(source));
    return { matcher, selection: prefixed('spec.policy', () => compileSelection(spec.policy)) };
  } catch (thrown) {
    return stalled(errorMessage(thrown));
  }
}

function prefixed<T>(path: string, compile: () => T): T {
  try {
    return compile();
  } catch (thrown) {
    throw new SupercargoError('detect-policy', `${path}: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/**
 * A template of another namespace must allow the reference; creation checks templates of the policy's own namespace.
 */
function deniedTemplate(policy: ImageResourcePolicy, { templateOf }: DetectorOptions): string | undefined {
  const { namespace: own = 'default' } = policy.metadata;
  const { name, namespace = own } = policy.spec.templateRef;
  if (namespace === own) return undefined;
  const template = templateOf(`${namespace}/${name}`);
  if (template && allowsReferenceFrom(template, own)) return undefined;
  // The same message whether the template exists or not, so that it reveals nothing about another namespace.
  return `spec.templateRef: there is no ResourceTemplate ${namespace}/${name} that allows references from the namespace ${own}`;
}

async function scanOnce(
  policy: ImageResourcePolicy,
  { matcher, selection }: Plan,
  options: DetectorOptions,
  signal: AbortSignal,
): Promise<Extract<ScanOutcome, { kind: 'scanned' }>> {
  const { events, clock, log, metrics } = options;
  const limits = policy.spec.ecrRepository ?? policy.spec.ociRepository!;
  const source = await options.openSource(policy, signal);
  try {
    const { lastDetected = [], seenTags } = policy.status ?? {};
    const choice = choiceOf(policy, selection);
    const result = await scan({
      source,
      matcher,
      selection,
      history: choice === undefined ? undefined : openTagHistory(seenTags, lastDetected, choice),
      isCopy: options.isCopy,
      maxRepositories: limits.maxRepositories ?? 50,
      maxConcurrentScans: limits.maxConcurrentScans ?? defaultConcurrentScans,
      signal,
    });
    const before = addDates(lastDetected, result.decisions);
    const { detected, known } = findNewDetections(result.chosen, before, selection);
    for (const image of detected) {
      const object = await announce(
        { policy, image, installation: options.installation, nowMs: clock.now() },
        options,
        signal,
      );
      const message = `detected ${object.spec.fullImageName} (${image.digest.slice(0, 19)}) as ${object.metadata.name}`;
      events.record(eventSubjectOf(policy), { type: 'Normal', reason: 'ImageDetected', message });
      log.info('image detected', { policy: keyOf(policy), image: object.spec.fullImageName, digest: image.digest });
    }
    metrics.detected(detected.length);
    const outcome = {
      kind: 'scanned' as const,
      scan: result,
      detected: detected.length,
      kept: known.filter(({ isDowngrade }) => isDowngrade),
      last: updateLastDetected(before, detected, clock.now()),
      seen: choice === undefined ? undefined : rememberTags(seenTags, result.listed, choice),
    };
    if (result.failures.length > 0)
      events.record(eventSubjectOf(policy), {
        type: 'Warning',
        reason: 'PartialFailure',
        message: scanSummary(outcome),
      });
    return outcome;
  } finally {
    await source.close();
  }
}

/** If this value changes, earlier tag lists are meaningless; undefined if age does not count. */
function choiceOf({ spec }: ImageResourcePolicy, { byAge }: Selection): string | undefined {
  const { registry = '', imagePattern = '' } = spec.ociRepository ?? {};
  return byAge === undefined ? undefined : JSON.stringify([registry, imagePattern, byAge]);
}

/** Creates the object once. An existing object of that name is either this detection or a name clash. */
async function announce(
  detection: DetectedOptions & { readonly image: ChosenImage },
  { client }: DetectorOptions,
  signal: AbortSignal,
): Promise<ImageDetected> {
  for (const hasClash of [false, true]) {
    const object = detectedObject(detection, hasClash);
    try {
      return await client.create(imagesDetected, object, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      const { name = '', namespace } = object.metadata;
      const present = await client.get<ImageDetected>(imagesDetected, { name, namespace }, { signal });
      if (isSameDetection(present, detection)) return present;
    }
  }
  const { repository, tag } = detection.image;
  throw new SupercargoError('detect-name-clash', `no name is left for the detection of ${repository}:${tag}`);
}

async function writeStatus(
  policy: ImageResourcePolicy,
  outcome: ScanOutcome,
  { client, clock }: DetectorOptions,
  signal: AbortSignal,
): Promise<void> {
  const status = nextPolicyStatus(policy, outcome, clock.now());
  if (semanticEqual(status, policy.status ?? {})) return;
  const { name = '', namespace, resourceVersion } = policy.metadata;
  // A merge patch keeps fields it does not name.
  const body = { metadata: { resourceVersion }, status: { ...status, seenTags: status.seenTags ?? null } };
  try {
    await client.patch(
      imageResourcePolicies,
      { name, namespace },
      { type: 'merge', body },
      { subresource: 'status', fieldManager: 'supercargo-detect', signal },
    );
  } catch (thrown) {
    // Conflict or deleted: the watch event queues the key again.
    if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
}
