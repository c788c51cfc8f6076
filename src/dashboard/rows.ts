import type { Cargo } from './cargo.ts';
import type {
  CopyFact,
  DetectionFact,
  EventFact,
  JobFact,
  ResultFact,
  ScanPolicyFact,
  VulnerabilityFact,
} from './facts.ts';
import { imageNameOf } from './image-id.ts';
import type {
  CopyRow,
  DetectionRow,
  EventRow,
  JobRow,
  ObjectRef,
  PipelinePolicy,
  ResultRow,
  Severity,
  VulnerabilityReportRow,
} from './protocol.ts';
import type { Visibility } from './visibility.ts';

/** Facts as the rows of the protocol: what is empty or unknown is left out. */

type Compact<T> = { readonly [K in keyof T]: Exclude<T[K], '' | undefined> };

function known<T extends object>(fields: T): Partial<Compact<T>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  ) as Partial<Compact<T>>;
}

export const refOf = ({
  apiVersion,
  kind,
  namespace,
  name,
}: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): ObjectRef => ({ apiVersion, kind, ...(namespace === '' ? {} : { namespace }), name });

export function copyRow(copy: CopyFact): CopyRow {
  const { name, source, copy: target, state, digest, sourceDigest, bytesTotal, bytesCopied, attempts, message } = copy;
  const { createdAt, copiedAt, checkedAt, unusedSince } = copy;
  return {
    name,
    image: imageNameOf(source).id,
    source,
    copy: target,
    state,
    ...known({ digest, sourceDigest, bytesTotal, bytesCopied, attempts, message }),
    ...known({ createdAt, copiedAt, checkedAt, unusedSince }),
  };
}

export function jobRow(cargo: Cargo, job: JobFact): JobRow {
  const { namespace, name, origin, state, isGone, image, trigger, ...rest } = job;
  return {
    namespace,
    name,
    origin,
    state,
    isGone,
    ...(image === '' ? {} : { image: cargo.images.idOf(image) }),
    ...(trigger ? { trigger } : {}),
    ...known(rest),
  };
}

/** `sees` decides whether the template's repository may be named: it is in another namespace perhaps. */
function gitOf(cargo: Cargo, namespace: string, name: string, mayRead: (namespace: string) => boolean) {
  const template = mayRead(namespace) ? cargo.templates.get(`${namespace}/${name}`) : undefined;
  if (!template) return {};
  const { url, branch, path } = template;
  return { git: { url, ...(branch === '' ? {} : { branch }), ...(path === '' ? {} : { path }) } };
}

export function detectionRow(
  cargo: Cargo,
  detection: DetectionFact,
  mayRead: (namespace: string) => boolean,
): DetectionRow {
  const { namespace, name, image, digest, policyNamespace, policyName, phase, files, reason, ...rest } = detection;
  const policy = cargo.scanPolicies.get(`${policyNamespace}/${policyName}`);
  return {
    namespace,
    name,
    image: cargo.images.idOf(image),
    digest,
    policy: { namespace: policyNamespace, name: policyName },
    phase,
    files,
    ...known(rest),
    ...(rest.commit === '' && reason !== '' ? { reason } : {}),
    // A detection may name any policy: what that says is for those who may read it.
    ...(policy && mayRead(policy.namespace)
      ? gitOf(cargo, policy.templateNamespace, policy.templateName, mayRead)
      : {}),
  };
}

export function pipelinePolicy(
  cargo: Cargo,
  policy: ScanPolicyFact,
  mayRead: (namespace: string) => boolean,
): PipelinePolicy {
  const { namespace, name, isSuspended, templateNamespace, templateName, ...rest } = policy;
  return {
    namespace,
    name,
    isSuspended,
    template: { namespace: templateNamespace, name: templateName },
    ...known(rest),
    ...gitOf(cargo, templateNamespace, templateName, mayRead),
  };
}

const severities: ReadonlySet<string> = new Set(['critical', 'high', 'medium', 'low', 'info']);

/** The images are those of the workload: who may not list Pods of its namespace does not learn them from a report. */
export function resultRow(cargo: Cargo, row: ResultFact, sees: Visibility): ResultRow {
  const { policy, rule, source, result, message, category, severity, seconds } = row;
  const from = cargo.userOf(row);
  const images = sees.sees('pods', row.namespace) ? (from?.images ?? []) : [];
  return {
    policy,
    rule,
    source,
    result,
    message,
    resource: refOf(row),
    ...(severities.has(severity) ? { severity: severity as Severity } : {}),
    ...(category === '' ? {} : { category }),
    ...(seconds === 0 ? {} : { at: timeOf(seconds * 1000) }),
    images: [...new Set(images.map((image) => cargo.images.idOf(image.source)))],
  };
}

/** Foreign times may be anything. */
const timeOf = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : '');

export const eventRow = (event: EventFact): EventRow => ({
  object: refOf(event),
  type: event.type,
  reason: event.reason,
  message: event.message,
  count: event.count,
  ...(event.at === '' ? {} : { at: event.at }),
});

export const vulnerabilityRow = ({
  namespace,
  name,
  scanner,
  at,
  counts,
}: VulnerabilityFact): VulnerabilityReportRow => ({
  object: { apiVersion: 'aquasecurity.github.io/v1alpha1', kind: 'VulnerabilityReport', namespace, name },
  scanner,
  counts,
  ...(at === '' ? {} : { at }),
});
