import type { MirroredImage } from '../api/index.ts';
import { isJsonObject, parseJson } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { CopyFact, JobFact } from './facts.ts';
import {
  type CompactTime,
  compactTime,
  conditionOf,
  type Interner,
  numberOf,
  objectOf,
  shortTextOf,
  textOf,
  timeText,
} from './fields.ts';
import type { JobState, ObjectRef } from './protocol.ts';
import type { Sharing } from './sharing.ts';

/** Facts of copies and Jobs. */

const copyStates = { Pending: 'pending', Copying: 'copying', Copied: 'copied', Failed: 'failed' } as const;

/** What few copies have. */
interface CopyDetail {
  readonly bytesCopied: number | undefined;
  readonly attempts: number | undefined;
  readonly message: string;
  readonly unusedSince: string;
}
const noDetail: CopyDetail = { bytesCopied: undefined, attempts: undefined, message: '', unusedSince: '' };

/** There is one for each image: what most copies do not have is elsewhere, and times are numbers. */
class Copy implements CopyFact {
  constructor(
    readonly name: string,
    readonly source: string,
    readonly copy: string,
    readonly state: CopyFact['state'],
    readonly digest: string,
    readonly sourceDigest: string,
    readonly bytesTotal: number | undefined,
    private readonly created: CompactTime,
    private readonly copied: CompactTime,
    private readonly checked: CompactTime,
    private readonly detail: CopyDetail,
  ) {}

  get bytesCopied(): number | undefined {
    return this.detail === noDetail ? this.bytesTotal : this.detail.bytesCopied;
  }
  get attempts(): number | undefined {
    return this.detail.attempts;
  }
  get message(): string {
    return this.detail.message;
  }
  get unusedSince(): string {
    return this.detail.unusedSince;
  }
  get createdAt(): string {
    return timeText(this.created);
  }
  get copiedAt(): string {
    return timeText(this.copied);
  }
  get checkedAt(): string {
    return timeText(this.checked);
  }
}

export const createCopyProjection =
  ({ name, digest: shared }: Pick<Sharing, 'name' | 'digest'>) =>
  ({ metadata, spec, status = {} }: MirroredImage, key: string): CopyFact => {
    const fields = status as Readonly<Record<string, unknown>> as Parameters<typeof textOf>[0];
    const digest = shared(spec.source, textOf(fields, 'digest'));
    const sourceDigest = textOf(fields, 'sourceDigest');
    const bytesTotal = numberOf(fields, 'bytesTotal');
    const detail: CopyDetail = {
      bytesCopied: numberOf(fields, 'bytesCopied'),
      attempts: numberOf(fields, 'attempts'),
      message: shortTextOf(fields, 'message'),
      unusedSince: textOf(fields, 'unusedSince'),
    };
    const { bytesCopied, attempts, message, unusedSince } = detail;
    const isPlain = bytesCopied === bytesTotal && attempts === undefined && message === '' && unusedSince === '';
    return new Copy(
      key,
      name(spec.source),
      spec.copy,
      copyStates[status.phase ?? 'Pending'] ?? 'pending',
      digest,
      sourceDigest === digest ? digest : sourceDigest,
      bytesTotal,
      compactTime(metadata.creationTimestamp ?? ''),
      compactTime(textOf(fields, 'copiedAt')),
      compactTime(textOf(fields, 'checkedAt')),
      isPlain ? noDetail : detail,
    );
  };

const originAnnotation = 'supercargo.dev/origin';
const requestAnnotation = 'supercargo.dev/on-demand-job-id';
const requestTypeLabel = 'supercargo.dev/on-demand-job-type';
const reportedAnnotation = 'supercargo.dev/on-demand-job-reported';

/** A Job that a policy generated or Insights asked for; undefined for any other. */
export const createJobProjection = (share: Pick<Sharing, 'intern' | 'name'>) => (job: KubeObject) =>
  jobFact(job, share);

function jobFact(job: KubeObject, { intern, name: shared }: Pick<Sharing, 'intern' | 'name'>): JobFact | undefined {
  const { namespace = '', name = '', labels = {}, annotations = {}, creationTimestamp } = job.metadata;
  const origin = originOf(annotations[originAnnotation], intern);
  const requestId = annotations[requestAnnotation];
  if (!origin && requestId === undefined) return undefined;
  const status = objectOf(job, 'status');
  const failed = conditionOf(status, 'Failed');
  const complete = conditionOf(status, 'Complete');
  const ended = failed?.status === 'True' ? failed : complete?.status === 'True' ? complete : undefined;
  return {
    namespace: intern(namespace),
    name,
    origin: origin ? 'generated' : 'on-demand',
    state: stateOf(job, ended),
    image: shared(imageOf(annotations)),
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

function originOf(text: string | undefined, intern: Interner): Made | undefined {
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
    madeBy: intern(`${textOf(value, 'policy')}/${textOf(value, 'rule')}`),
    trigger:
      textOf(trigger, 'name') === ''
        ? undefined
        : {
            apiVersion: intern(textOf(trigger, 'apiVersion')),
            kind: intern(textOf(trigger, 'kind')),
            ...(namespace === '' ? {} : { namespace: intern(namespace) }),
            name: textOf(trigger, 'name'),
          },
  };
}
