import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from 'kubernetes-types/admissionregistration/v1.js';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from 'kubernetes-types/autoscaling/v2.js';
import type { CertificateSigningRequest } from 'kubernetes-types/certificates/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ClusterRoleBinding, RoleBinding } from 'kubernetes-types/rbac/v1.js';
import { renderHumanDuration } from './human-duration.ts';
import { renderSelector } from './label-text.ts';
import { ageColumn, createdOf, integer, nameColumn, nameOf, printerOf, text, wide } from './printer.ts';

export const bindingPrinter = printerOf<RoleBinding | ClusterRoleBinding>(
  [
    nameColumn,
    text('Role', 'Role that is granted.'),
    ageColumn,
    wide('Users', 'Users it is granted to.'),
    wide('Groups', 'Groups it is granted to.'),
    wide('ServiceAccounts', 'Service accounts it is granted to.'),
  ],
  (object, age) => {
    const subjects = object.subjects ?? [];
    const named = (kind: string) =>
      subjects
        .filter((one) => one.kind === kind)
        .map((one) => (one.namespace ? `${one.namespace}/${one.name}` : one.name))
        .join(', ');
    return [
      nameOf(object),
      `${object.roleRef.kind}/${object.roleRef.name}`,
      age(createdOf(object)),
      named('User'),
      named('Group'),
      named('ServiceAccount'),
    ];
  },
);

export const webhookConfigurationPrinter = printerOf<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
  [nameColumn, integer('Webhooks', 'Number of webhooks.'), ageColumn],
  (object, age) => [nameOf(object), object.webhooks?.length ?? 0, age(createdOf(object))],
);

interface AdmissionPolicy {
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly validations?: readonly unknown[];
    readonly mutations?: readonly unknown[];
    readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  };
}
const paramKind = ({ spec }: AdmissionPolicy) =>
  spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>';
const paramKindColumn = text('ParamKind', 'Kind of the objects with parameters.');

export const validatingPolicyPrinter = printerOf<AdmissionPolicy>(
  [nameColumn, integer('Validations', 'Number of validations.'), paramKindColumn, ageColumn],
  (object, age) => [nameOf(object), object.spec?.validations?.length ?? 0, paramKind(object), age(createdOf(object))],
);
export const mutatingPolicyPrinter = printerOf<AdmissionPolicy>(
  [nameColumn, integer('Mutations', 'Number of mutations.'), paramKindColumn, ageColumn],
  (object, age) => [nameOf(object), object.spec?.mutations?.length ?? 0, paramKind(object), age(createdOf(object))],
);

interface PolicyBinding {
  readonly metadata?: ObjectMeta;
  readonly spec?: {
    readonly policyName?: string;
    readonly paramRef?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    };
  };
}
export const policyBindingPrinter = printerOf<PolicyBinding>(
  [
    nameColumn,
    text('PolicyName', 'Policy that is bound.'),
    text('ParamRef', 'Objects with its parameters.'),
    ageColumn,
  ],
  (object, age) => {
    const ref = object.spec?.paramRef;
    const named = ref?.name ? `${ref.namespace || '*'}/${ref.name}` : undefined;
    const param = named ?? (ref?.selector ? renderSelector(ref.selector) : '<unset>');
    return [nameOf(object), object.spec?.policyName ?? '', param, age(createdOf(object))];
  },
);

export const disruptionBudgetPrinter = printerOf<PodDisruptionBudget>(
  [
    nameColumn,
    text('Min Available', 'Pods that must stay available.'),
    text('Max Unavailable', 'Pods that may be unavailable.'),
    integer('Allowed Disruptions', 'Pods that may be evicted now.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    `${object.spec?.minAvailable ?? 'N/A'}`,
    `${object.spec?.maxUnavailable ?? 'N/A'}`,
    object.status?.disruptionsAllowed ?? 0,
    age(createdOf(object)),
  ],
);

export const autoscalerPrinter = printerOf<HorizontalPodAutoscaler>(
  [
    nameColumn,
    text('Reference', 'What is scaled.'),
    text('Targets', 'Metrics and their targets.'),
    text('MinPods', 'Fewest pods.'),
    text('MaxPods', 'Most pods.'),
    text('Replicas', 'Pods at the moment.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    `${object.spec?.scaleTargetRef.kind ?? ''}/${object.spec?.scaleTargetRef.name ?? ''}`,
    autoscalerMetrics(object),
    object.spec?.minReplicas === undefined ? '<unset>' : `${object.spec.minReplicas}`,
    object.spec?.maxReplicas ?? 0,
    object.status?.currentReplicas ?? 0,
    age(createdOf(object)),
  ],
);

function autoscalerMetrics({ spec, status }: HorizontalPodAutoscaler): string {
  const all = (spec?.metrics ?? []).map((metric, index) => metricText(metric, status?.currentMetrics?.[index]));
  if (all.length === 0) return '<none>';
  const shown = all.slice(0, 2).join(', ');
  return all.length > 2 ? `${shown} + ${all.length - 2} more...` : shown;
}

const unknown = '<unknown>';

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case 'External':
      return valueText(metric.external?.target, status?.external?.current);
    case 'Object':
      return valueText(metric.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? unknown}/${metric.pods?.target.averageValue ?? '0'}`;
    case 'Resource':
      return `${metric.resource?.name}: ${resourceText(metric.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource': {
      const source = metric.containerResource;
      return `${source?.name}: ${resourceText(source?.target, status?.containerResource?.current)}`;
    }
    default:
      return '<unknown type>';
  }
}

interface MetricValue {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: number;
}

function valueText(target: MetricValue | undefined, current: MetricValue | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current ? (current.value ?? '0') : unknown}/${target?.value ?? '0'}`;
}

function resourceText(target: MetricValue | undefined, current: MetricValue | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  const percent = (value: number | undefined, missing: string) => (value === undefined ? missing : `${value}%`);
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, '<auto>')}`;
}

export const signingRequestPrinter = printerOf<CertificateSigningRequest>(
  [
    nameColumn,
    ageColumn,
    text('SignerName', 'Who is asked to sign.'),
    text('Requestor', 'Who asked.'),
    text('RequestedDuration', 'How long the certificate should be valid.'),
    text('Condition', 'Where the request stands.'),
  ],
  (object, age) => {
    const has = (type: string) => object.status?.conditions?.some((one) => one.type === type);
    const words = [has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'];
    if (has('Failed')) words.push('Failed');
    if (object.status?.certificate) words.push('Issued');
    const seconds = object.spec.expirationSeconds;
    return [
      nameOf(object),
      age(createdOf(object)),
      object.spec.signerName || '<none>',
      object.spec.username ?? '',
      seconds === undefined ? '<none>' : renderHumanDuration(seconds * 1000),
      words.join(','),
    ];
  },
);

interface ApiService {
  readonly metadata?: ObjectMeta;
  readonly spec?: { readonly service?: { readonly namespace?: string; readonly name?: string } };
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason?: string }[] };
}
export const apiServicePrinter = printerOf<ApiService>(
  [
    nameColumn,
    text('Service', 'Service that answers for this API version.'),
    text('Available', 'Whether it answers.'),
    ageColumn,
  ],
  (object, age) => {
    const service = object.spec?.service;
    const found = object.status?.conditions?.find((one) => one.type === 'Available');
    const reason = found?.status !== 'True' && found?.reason ? ` (${found.reason})` : '';
    return [
      nameOf(object),
      service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      `${found?.status ?? 'Unknown'}${reason}`,
      age(createdOf(object)),
    ];
  },
);
