import { createHash } from 'node:crypto';
import { ownerLabel } from '../api/index.ts';
import type { OnDemandJob } from '../insights/index.ts';
import { type KubeObject, validateLabelValue } from '../object/index.ts';
import { variablesOf } from './options.ts';
import type { JobType } from './types.ts';

export const idLabel = 'supercargo.dev/on-demand-job-id';
export const typeLabel = 'supercargo.dev/on-demand-job-type';
/** The id as received: a label value cannot hold every text. */
export const idAnnotation = 'supercargo.dev/on-demand-job-id';
/** When it was claimed, as sortable text. */
export const orderAnnotation = 'supercargo.dev/on-demand-job-order';
/**
 * On a CronJob: a comma-separated list of options that may be set although its Secrets and ConfigMaps might set them
 * too.
 */
const allowedOptionsAnnotation = 'supercargo.dev/allowed-options';
/** Set once Insights has the outcome. */
export const reportedAnnotation = 'supercargo.dev/on-demand-job-reported';

/** Finished Jobs are deleted after ten minutes, but not before Insights has the outcome; after a day in any case. */
export const reportedTtlSeconds = 600;
const unreportedTtlSeconds = 24 * 60 * 60;

export interface CronJob extends KubeObject {
  readonly spec?: { readonly jobTemplate?: { readonly metadata?: Metadata; readonly spec?: JobSpec } };
}

export interface Job extends KubeObject {
  readonly spec?: JobSpec;
  readonly status?: {
    readonly startTime?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface JobSpec {
  readonly suspend?: boolean;
  readonly activeDeadlineSeconds?: number;
  readonly template?: { readonly metadata?: Metadata; readonly spec?: PodSpec };
  readonly [field: string]: unknown;
}

interface PodSpec {
  readonly containers?: readonly Container[];
  readonly [field: string]: unknown;
}

interface Container {
  readonly envFrom?: readonly { readonly prefix?: string }[];
  readonly env?: readonly EnvironmentVariable[];
  readonly [field: string]: unknown;
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

interface ManifestOptions {
  readonly job: OnDemandJob;
  readonly type: JobType;
  readonly cronJob: CronJob;
  readonly namespace: string;
  readonly installation: string;
  /** Created suspended while another job of its type runs: the cluster keeps the queue. */
  readonly isSuspended: boolean;
  /** Its position in the order of claims. */
  readonly order: string;
  /** Five random characters that make the name unique. */
  readonly suffix: string;
}

/** The Job for a request, or the reason why there is none. */
type Manifest = { readonly object: Job; readonly ignored: readonly string[] } | { readonly problem: string };

export function manifestOf(options: ManifestOptions): Manifest {
  const { job, type, cronJob, namespace, installation, isSuspended } = options;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  if (spec?.template?.spec?.containers === undefined) return { problem: `CronJob ${type.cronJob} has no job template` };
  const { variables, ignored, problems } = variablesOf(job.options);
  if (problems.length > 0) return { problem: problems.join('; ') };
  const deadline = Math.ceil(type.timeoutMs / 1000);
  const pod = spec.template.spec;
  const allowed = new Set(
    (cronJob.metadata.annotations?.[allowedOptionsAnnotation] ?? '').split(',').map((one) => one.trim()),
  );
  const shadowing = new Set<string>();
  /** The options that replace nothing from a Secret or ConfigMap. */
  const settable = ({ env = [], envFrom = [] }: Container) => {
    const isLiteral = (name: string) => env.some((variable) => variable.name === name);
    const mayShadow = (name: string) => envFrom.some(({ prefix = '' }) => name.startsWith(prefix));
    const left = [...variables].filter(([name]) => {
      const isSettable = isLiteral(name) || allowed.has(name) || !mayShadow(name);
      if (!isSettable) shadowing.add(name);
      return isSettable;
    });
    return new Map(left);
  };
  const { selector: _, manualSelector: _m, ...rest } = spec;
  const object: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(job, options.suffix),
      namespace,
      labels: {
        ...metadata?.labels,
        [ownerLabel]: installation,
        [idLabel]: labelOf(job.id),
        [typeLabel]: labelOf(job.reportType),
      },
      annotations: {
        ...metadata?.annotations,
        'cronjob.kubernetes.io/instantiate': 'manual',
        [idAnnotation]: job.id,
        [orderAnnotation]: options.order,
      },
    },
    spec: {
      ...rest,
      ...(type.retries ? {} : { backoffLimit: 0 }),
      ...(isSuspended ? { suspend: true } : { suspend: false }),
      activeDeadlineSeconds: Math.min(deadline, spec.activeDeadlineSeconds ?? deadline),
      ttlSecondsAfterFinished: unreportedTtlSeconds,
      template: {
        ...spec.template,
        spec: {
          ...pod,
          containers: (pod.containers ?? []).map((container) => ({
            ...container,
            env: mergeVariables(container.env ?? [], settable(container)),
          })),
        },
      },
    },
  };
  return { object, ignored: [...new Set([...ignored, ...shadowing])].sort() };
}

/**
 * The CronJob's variables in their order, with option values in place; then the other options by name. Values from a
 * Secret or another source stay: an option must not redirect them.
 */
function mergeVariables(
  own: readonly EnvironmentVariable[],
  options: ReadonlyMap<string, string>,
): readonly EnvironmentVariable[] {
  const known = new Set(own.map(({ name }) => name));
  const merged = own.map((variable) => {
    const value = options.get(variable.name);
    return value === undefined || variable.valueFrom !== undefined
      ? variable
      : { name: variable.name, value: literal(value) };
  });
  const added = [...options].filter(([name]) => !known.has(name));
  return [...merged, ...added.map(([name, value]) => ({ name, value: literal(value) }))];
}

/** Kubernetes expands `$(NAME)`; an option must not read the CronJob's secrets that way. */
function literal(value: string): string {
  return /\$[($]/.test(value) ? value.replaceAll('$', '$$$$') : value;
}

/** `<type>-<id>-<random>`, at most 63 characters, because pods carry it in a label. */
export function jobName({ reportType, id }: OnDemandJob, suffix: string): string {
  const word = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '');
  const shortId = word(id).slice(0, 36).replace(/-+$/, '') || 'job';
  const room = 63 - shortId.length - suffix.length - 2;
  return `${word(reportType).slice(0, room).replace(/-+$/, '') || 'job'}-${shortId}-${suffix}`;
}

/** The text if it is a valid label value, otherwise a hash of it. */
export function labelOf(text: string): string {
  if (text !== '' && validateLabelValue(text).length === 0) return text;
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
