import type { MirroredImage } from '../api/index.ts';
import { isJsonObject, parseJson } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { CopyFact, JobFact } from './facts.ts';
import { conditionOf, numberOf, objectOf, shortTextOf, textOf } from './fields.ts';
import type { JobState, ObjectRef } from './protocol.ts';

/** Facts of copies and Jobs. */

const copyStates = { Pending: 'pending', Copying: 'copying', Copied: 'copied', Failed: 'failed' } as const;

export function copyFact({ metadata, spec, status = {} }: MirroredImage): CopyFact {
  const fields = status as Readonly<Record<string, unknown>> as Parameters<typeof textOf>[0];
  const digest = textOf(fields, 'digest');
  const sourceDigest = textOf(fields, 'sourceDigest');
  const copiedAt = textOf(fields, 'copiedAt');
  const checkedAt = textOf(fields, 'checkedAt');
  return {
    name: metadata.name ?? '',
    source: spec.source,
    copy: spec.copy,
    state: copyStates[status.phase ?? 'Pending'] ?? 'pending',
    digest,
    // Mostly the same text: kept once.
    sourceDigest: sourceDigest === digest ? digest : sourceDigest,
    bytesTotal: numberOf(fields, 'bytesTotal'),
    bytesCopied: numberOf(fields, 'bytesCopied'),
    attempts: numberOf(fields, 'attempts'),
    message: shortTextOf(fields, 'message'),
    createdAt: metadata.creationTimestamp ?? '',
    copiedAt,
    checkedAt: checkedAt === copiedAt ? copiedAt : checkedAt,
    unusedSince: textOf(fields, 'unusedSince'),
  };
}

const originAnnotation = 'supercargo.dev/origin';
const requestAnnotation = 'supercargo.dev/on-demand-job-id';
const requestTypeLabel = 'supercargo.dev/on-demand-job-type';
const reportedAnnotation = 'supercargo.dev/on-demand-job-reported';

/** A Job that a policy generated or Insights asked for; undefined for any other. */
export function jobFact(job: KubeObject): JobFact | undefined {
  const { namespace = '', name = '', labels = {}, annotations = {}, creationTimestamp } = job.metadata;
  const origin = originOf(annotations[originAnnotation]);
  const requestId = annotations[requestAnnotation];
  if (!origin && requestId === undefined) return undefined;
  const status = objectOf(job, 'status');
  const failed = conditionOf(status, 'Failed');
  const complete = conditionOf(status, 'Complete');
  const ended = failed?.status === 'True' ? failed : complete?.status === 'True' ? complete : undefined;
  return {
    namespace,
    name,
    origin: origin ? 'generated' : 'on-demand',
    state: stateOf(job, ended),
    image: imageOf(annotations),
    madeBy: origin?.madeBy ?? '',
    trigger: origin?.trigger,
    type: labels[requestTypeLabel] ?? '',
    requestId: requestId ?? '',
    reported: annotations[reportedAnnotation] ?? '',
    createdAt: creationTimestamp ?? '',
    startedAt: textOf(status, 'startTime'),
    endedAt: textOf(status, 'completionTime') || (ended?.lastTransitionTime ?? ''),
    reason: ended?.type === 'Failed' ? (ended.reason ?? '') : '',
    message: ended?.type === 'Failed' ? (ended.message ?? '').slice(0, 500) : '',
    isGone: false,
  };
}

function stateOf(job: KubeObject, ended: { readonly type?: string } | undefined): JobState {
  if (ended) return ended.type === 'Failed' ? 'failed' : 'succeeded';
  const spec = objectOf(job, 'spec');
  if (spec['suspend'] === true) return 'pending';
  return (numberOf(objectOf(job, 'status'), 'active') ?? 0) > 0 ? 'running' : 'pending';
}

/** As the policies of examples/unique-job-per-image and -digest write it. */
function imageOf(annotations: Readonly<Record<string, string>>): string {
  const image = annotations['kyverno.io/source-image'] ?? '';
  const digest = annotations['kyverno.io/source-digest'] ?? '';
  return image === '' || digest === '' || image.includes('@') || image.includes(':') ? image : `${image}@${digest}`;
}

interface Made {
  readonly madeBy: string;
  readonly trigger: ObjectRef | undefined;
}

const maxOrigin = 16 << 10;

function originOf(text: string | undefined): Made | undefined {
  if (text === undefined || text.length > maxOrigin) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const trigger = objectOf(value, 'trigger');
  const namespace = textOf(trigger, 'namespace');
  return {
    madeBy: `${textOf(value, 'policy')}/${textOf(value, 'rule')}`,
    trigger:
      textOf(trigger, 'name') === ''
        ? undefined
        : {
            apiVersion: textOf(trigger, 'apiVersion'),
            kind: textOf(trigger, 'kind'),
            ...(namespace === '' ? {} : { namespace }),
            name: textOf(trigger, 'name'),
          },
  };
}
