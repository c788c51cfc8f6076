import { setMaxListeners } from 'node:events';
import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import { type Clock, isAbort, type Logger } from '../base/index.ts';
import type { Reconcile, ReconcileResult } from '../controller/index.ts';
import type { Inventory } from '../inventory/index.ts';
import { type EventRecorder, eventSubjectOf, isKubeError, type KubeClient } from '../kube/index.ts';
import { keyOf } from '../object/index.ts';
import { LineageClaims } from './claims.ts';
import { checkDetectionFields, confirmDetection } from './detection-check.ts';
import { type DuplicateCheck, findDuplicates, type PrefixOf } from './duplicate.ts';
import { CreateError } from './errors.ts';
import { leftMs, removeExpired } from './expiry.ts';
import { failureOf, pauseMs } from './failure.ts';
import type { PlannedFile } from './file-plan.ts';
import { logDuplicates } from './log-texts.ts';
import type { CreateMetrics } from './metrics.ts';
import { renderDetection } from './prepare.ts';
import type { PublishResult } from './publish-item.ts';
import type { Publish } from './publisher.ts';
import { type Lookups, type Resolved, resolve } from './resolve.ts';
import { findPredecessor, findSuccessor, isCommitted, lineageOf } from './siblings.ts';
import { attemptsOf, type DetectionTransition, type FinalTransition } from './status.ts';
import { createStatusWriter } from './status-writer.ts';
import type { SchemaOf } from './type-check.ts';

/** Server-side dry run of the objects; throws CreateError if the server rejects them. */
export type DryRun = (files: readonly PlannedFile[], signal: AbortSignal) => Promise<void>;

export interface CreatorOptions extends Lookups {
  readonly client: Pick<KubeClient, 'get' | 'patch' | 'delete'>;
  readonly detectionOf: (key: string) => ImageDetected | undefined;
  /** Detections of the same lineage, including the given one. */
  readonly siblingsOf: (lineage: string, check: DuplicateCheck) => readonly ImageDetected[];
  /** Known detections of a digest, for workloads that run an image without a tag. */
  readonly prefixOfDigest: (digest: string) => string | undefined;
  readonly prefixesOf: (policy: Resolved['policy']) => PrefixOf;
  readonly inventory: Inventory;
  readonly schemaOf: SchemaOf;
  readonly dryRun: DryRun;
  readonly publish: Publish;
  readonly installation: string;
  readonly events: EventRecorder;
  readonly metrics: CreateMetrics;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

const waitMs = 1_000;
const staleMs = 100;

/** Reconciles one detection. */
export function createCreator(options: CreatorOptions): Reconcile {
  const { client, clock, installation } = options;
  const claims = new LineageClaims();
  const write = createStatusWriter(client, clock);

  return async (key, signal) => {
    // All detections that share a commit listen to one signal.
    setMaxListeners(0, signal);
    const detection = options.detectionOf(key);
    if (!detection || detection.metadata.deletionTimestamp !== undefined) return {};
    const left = leftMs(detection, installation, clock.now());
    if (left !== undefined && left <= 0) {
      await removeExpired(client, detection, signal);
      return {};
    }
    if (detection.status?.phase === 'Completed') return { requeueAfterMs: left };
    if (!options.inventory.hasSynced) return { requeueAfterMs: waitMs };

    let current = detection;
    let lineage: string | undefined;
    const take = async (step: DetectionTransition) => {
      current = await write(current, step, signal);
    };
    try {
      checkDetectionFields(detection.spec);
      const { policy, template } = resolve(detection, options);
      const confirmation = template.spec.allowExternalDetections ? 'confirmed' : confirmDetection(detection, policy);
      if (confirmation === 'unconfirmed') {
        if (!isFresh(detection, clock.now())) throw notDetected(detection, policy);
        const message = `waits until ImageResourcePolicy ${keyOf(policy)} confirms it`;
        await take({ kind: 'waiting', reason: 'WaitingForPolicy', message });
        return { requeueAfterMs: waitMs };
      }
      const check = template.spec.duplicateCheck ?? 'repository';
      const line = lineageOf(detection, check);
      const siblings = options
        .siblingsOf(line, check)
        .filter((one) => keyOf(one) === key || targetKeyOf(one, options) === targetOf(template));
      lineage = `${targetOf(template)}\n${check}\n${line}`;
      // A waiting detection claims nothing; otherwise two could wait for each other.
      const holder = nameOf(findPredecessor(detection, siblings)) ?? claims.take(lineage, key);
      if (holder !== undefined) {
        await take({ kind: 'waiting', reason: 'WaitingForSibling', message: `waits for ImageDetected ${holder}` });
        return { requeueAfterMs: waitMs };
      }
      const skip = shouldSkip({ detection, policy, template, siblings }, options);
      if (skip) return await end(current, skip, options, take, left);

      const mayBePushed = detection.status?.phase === 'Processing' || attemptsOf(detection.status) > 0;
      const isSuperseded = confirmation === 'superseded';
      if (isSuperseded && !mayBePushed) return await end(current, superseded(policy), options, take, left);
      const { warnings, ...prepared } = renderDetection(detection, template, options.schemaOf);
      for (const message of warnings)
        options.events.record(eventSubjectOf(template), { type: 'Warning', reason: 'UnquotedTag', message });
      await take({ kind: 'processing' });
      if (template.spec.validation?.dryRun) await options.dryRun(prepared.files, signal);
      const precedents = siblings.filter((one) => isCommitted(one) && keyOf(one) !== key);
      const keepsFiles = check !== 'exact';
      const item = { ...prepared, detection, template, precedents, mayBePushed, keepsFiles, isSuperseded };
      const result = await options.publish(item, signal);
      const step = stepOf(result, { policy, template });
      await end(current, step, options, take, left);
      if (step.kind === 'committed')
        options.events.record(eventSubjectOf(template), { type: 'Normal', reason: 'Committed', message: step.message });
      return { requeueAfterMs: left };
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) throw thrown;
      // The cache is stale, usually behind our own last write.
      if (isKubeError(thrown, 'kube-conflict')) return { requeueAfterMs: staleMs };
      const failure = failureOf(thrown);
      if (!failure) throw thrown;
      await end(current, { kind: 'failed', failure }, options, take, left);
      return earliest(pauseMs(failure.pace, attemptsOf(current.status), options.random), left);
    } finally {
      if (lineage !== undefined) claims.release(lineage, key);
    }
  };
}

/** Detection writes the object first and the policy's status after it. The status may be missing for this long. */
const confirmMs = 30_000;

function isFresh({ metadata }: ImageDetected, nowMs: number): boolean {
  return nowMs - Date.parse(metadata.creationTimestamp ?? '') < confirmMs;
}

const notDetected = ({ spec }: ImageDetected, policy: Resolved['policy']) =>
  new CreateError(
    'create-not-detected',
    `the status of ImageResourcePolicy ${keyOf(policy)} does not record ${spec.fullImageName} (${spec.imageDigest.slice(0, 19)}) as detected: only what the detection part wrote is committed, unless the ResourceTemplate sets spec.allowExternalDetections`,
  );

const superseded = (policy: Resolved['policy']): FinalTransition => ({
  kind: 'skipped',
  reason: 'Superseded',
  message: `ImageResourcePolicy ${keyOf(policy)} has detected another version since`,
});

const earliest = (a: number | undefined, b: number | undefined): ReconcileResult => ({
  requeueAfterMs: a === undefined ? b : b === undefined ? a : Math.min(a, b),
});

const nameOf = (detection: ImageDetected | undefined) => detection && keyOf(detection);

interface Case extends Resolved {
  readonly detection: ImageDetected;
  readonly siblings: readonly ImageDetected[];
}

function shouldSkip(
  { detection, policy, template, siblings }: Case,
  options: CreatorOptions,
): FinalTransition | undefined {
  const { fullImageName, imageDigest, tagPrefix } = detection.spec;
  const check = template.spec.duplicateCheck ?? 'repository';
  const duplicates = findDuplicates(
    {
      fullImageName,
      imageDigest,
      tagPrefix,
      check,
      prefixOf: options.prefixesOf(policy),
      prefixOfDigest: options.prefixOfDigest,
    },
    options.inventory.index,
  );
  logDuplicates(options.log, detection, duplicates);
  if (duplicates.reason !== undefined) {
    const [{ user, container, reference }] = duplicates.uses as [(typeof duplicates.uses)[number]];
    const more = duplicates.uses.length > 1 ? ` and ${duplicates.uses.length - 1} more` : '';
    const where = `${user.kind} ${user.namespace}/${user.name} (container ${container})${more}`;
    const message =
      duplicates.reason === 'AlreadyDeployed'
        ? `${fullImageName} runs in ${where} already`
        : `${where} runs ${reference.tag ?? reference.digest} of it: the version is left to GitOps`;
    return { kind: 'skipped', reason: duplicates.reason, message };
  }
  const successor = check === 'exact' ? findSuccessor(detection, siblings) : undefined;
  return (
    successor && {
      kind: 'skipped',
      reason: 'DelegatedToGitOps',
      message: `a later version, ${successor.spec.imageTag}, was committed as ${successor.status?.gitCommitSHA}`,
    }
  );
}

const targetOf = ({ spec }: ResourceTemplate) => `${spec.gitRepository.url} ${spec.gitRepository.branch ?? 'main'}`;

/** Where a detection would be committed; undefined if it would not be committed. */
function targetKeyOf(detection: ImageDetected, lookups: Lookups): string | undefined {
  try {
    const { policy, template } = resolve(detection, lookups);
    // An unconfirmed detection must not block or end the others.
    const counts = template.spec.allowExternalDetections || confirmDetection(detection, policy) !== 'unconfirmed';
    return counts ? targetOf(template) : undefined;
  } catch (thrown) {
    if (thrown instanceof CreateError) return undefined;
    throw thrown;
  }
}

function stepOf(result: PublishResult, { policy, template }: Resolved): FinalTransition {
  const branch = template.spec.gitRepository.branch ?? 'main';
  switch (result.kind) {
    case 'failed':
      throw result.thrown;
    case 'superseded':
      return superseded(policy);
    case 'committed': {
      const how = result.isRecovered ? 'had been committed to' : 'committed to';
      const message = `${how} ${branch} as ${result.commit.slice(0, 12)}: ${result.files.join(', ')}`;
      return { kind: 'committed', commit: result.commit, files: result.files, message };
    }
    case 'present': {
      const by = result.precedent === undefined ? '' : ` (for ImageDetected ${result.precedent})`;
      const message = `${result.files.join(', ')} is in ${branch} already${by}: the version is left to GitOps`;
      return { kind: 'skipped', reason: 'DelegatedToGitOps', message };
    }
  }
}

type Take = (step: DetectionTransition) => Promise<void>;

/** Writes the final status first, then logs it, counts it and records the event. */
async function end(
  detection: ImageDetected,
  step: FinalTransition,
  options: CreatorOptions,
  take: Take,
  left: number | undefined,
): Promise<ReconcileResult> {
  await take(step);
  const { events, metrics, log } = options;
  const isFailure = step.kind === 'failed';
  const [reason, message] = isFailure
    ? [step.failure.reason, step.failure.message]
    : [step.kind === 'skipped' ? step.reason : 'Committed', step.message];
  metrics.settled(step.kind);
  events.record(eventSubjectOf(detection), { type: isFailure ? 'Warning' : 'Normal', reason, message });
  const fields = { detection: keyOf(detection), image: detection.spec.fullImageName, reason };
  if (step.kind === 'committed') log.info('resources committed', { ...fields, commit: step.commit, files: step.files });
  if (isFailure) log.warn('resources could not be created', { ...fields, error: message });
  return { requeueAfterMs: left };
}
