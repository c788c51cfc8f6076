import { partSelector, sharedLabels } from '../install-objects.ts';
import { grafanaDashboard } from './dashboard.ts';
import {
  entries,
  type InstallTemplate,
  installation,
  joined,
  namespace,
  partName,
  scalar,
  text,
  value,
} from './scope.ts';

type Metadata = Readonly<Record<string, InstallTemplate>>;

const monitoring = 'monitoring.coreos.com/v1';
const metricsName = joined`${installation}-${partName}-metrics`;
const metricsLabel = { 'supercargo.dev/metrics-of': scalar(partName) };

export const metricsService = (metadata: Metadata): InstallTemplate => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    ...metadata,
    name: scalar(metricsName),
    labels: entries({ ...partSelector, ...metricsLabel }, value('extraLabels')),
  },
  spec: { selector: partSelector, ports: [{ name: 'http', port: 8080, targetPort: 'http' }] },
});

export const serviceMonitor = (metadata: Metadata): InstallTemplate => ({
  apiVersion: monitoring,
  kind: 'ServiceMonitor',
  metadata: {
    ...metadata,
    name: scalar(metricsName),
    labels: entries({ ...partSelector }, value('metrics.serviceMonitor.labels')),
  },
  spec: {
    selector: { matchLabels: { ...partSelector, ...metricsLabel } },
    endpoints: [{ port: 'http', interval: scalar(value('metrics.serviceMonitor.interval')) }],
  },
});

interface Alert {
  readonly name: string;
  readonly expression: string;
  readonly lasts: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly description: string;
}

const rules: readonly Alert[] = [
  {
    name: 'SupercargoNoLeader',
    expression: 'max by (namespace, name) (leader_election_master_status{job=~".+-metrics"}) == 0',
    lasts: '2m',
    severity: 'critical',
    summary: 'No replica leads',
    description: 'Nothing is reconciled. Look for errors about Leases in the logs of the pods.',
  },
  {
    name: 'SupercargoWebhookUnreachable',
    expression: 'min by (namespace, group) (supercargo_admission_webhook_reachable) == 0',
    lasts: '2m',
    severity: 'critical',
    summary: 'The API server does not reach the webhooks',
    description: 'Webhooks that are registered block requests, and no others are registered. Run supercargo check.',
  },
  {
    name: 'SupercargoReviewsFailing',
    expression: 'sum by (namespace, path) (rate(supercargo_admission_reviews_total{outcome="failed"}[5m])) > 0',
    lasts: '5m',
    severity: 'critical',
    summary: 'Admission reviews cannot be evaluated',
    description: 'Requests are denied or admitted unchecked, as the failure policies say.',
  },
  {
    name: 'SupercargoReviewsSlow',
    expression:
      'histogram_quantile(0.99, sum by (namespace, path, le) (rate(supercargo_admission_review_duration_seconds_bucket[5m]))) > 1',
    lasts: '10m',
    severity: 'warning',
    summary: 'Admission reviews take longer than a second',
    description: 'Requests wait for them. See docs/admission.md.',
  },
  {
    name: 'SupercargoWatchFailing',
    expression: 'max by (namespace, resource) (supercargo_watch_failing) == 1',
    lasts: '10m',
    severity: 'warning',
    summary: 'A kind cannot be listed or watched',
    description: 'Mostly a missing permission or definition; the log names it.',
  },
  {
    name: 'SupercargoCopiesFailing',
    expression: 'sum by (namespace) (increase(supercargo_mirror_copies_total{result="failed"}[1h])) > 0',
    lasts: '1h',
    severity: 'warning',
    summary: 'Images cannot be copied',
    description: 'kubectl get mirroredimages names them, with the reason.',
  },
  {
    name: 'SupercargoAuditDropped',
    expression: 'sum by (namespace) (increase(supercargo_admission_audit_queue_dropped_total[15m])) > 0',
    lasts: '0m',
    severity: 'warning',
    summary: 'Results of audit rules were dropped',
    description: 'The queue was full: give the pods more CPU, or run more replicas.',
  },
];

const sharedMetadata = (suffix: string, labels: ReturnType<typeof value>): InstallTemplate => ({
  name: text`${installation}-${{ helm: JSON.stringify(suffix), read: () => suffix }}`,
  namespace: scalar(namespace),
  labels: entries(sharedLabels(), labels),
});

export const alerts: InstallTemplate = {
  apiVersion: monitoring,
  kind: 'PrometheusRule',
  metadata: sharedMetadata('alerts', value('metrics.prometheusRule.labels')),
  spec: {
    groups: [
      {
        name: 'supercargo',
        rules: rules.map(({ name, expression, lasts, severity, summary, description }) => ({
          alert: name,
          expr: expression,
          for: lasts,
          labels: { severity },
          annotations: { summary, description },
        })),
      },
    ],
  },
};

export const dashboard: InstallTemplate = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: sharedMetadata('grafana-dashboard', value('metrics.grafana.labels')),
  data: { 'supercargo.json': grafanaDashboard },
};
