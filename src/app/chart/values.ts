import { z } from 'zod';
import { configSchema } from '../config.ts';
import { availableFeatures } from '../features/index.ts';
import { partNamePattern } from '../install-parts.ts';

/** A part of a Kubernetes object, which the API server checks. */
const structure = z.record(z.string(), z.unknown());
const structures = z.array(structure);
const labels = z.record(z.string(), z.string());
const dnsLabel = z.string().regex(partNamePattern, 'must be a DNS label of at most 32 characters');
const feature = z.enum(availableFeatures as [string, ...string[]]);

const resources = {
  requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '64Mi' },
  limits: { memory: '512Mi', 'ephemeral-storage': '2304Mi' },
};

const part = z.strictObject({
  name: dnsLabel.describe('The suffix of the names of its objects.'),
  features: z.array(feature).min(1).describe('What runs in it; a feature is in at most one part.'),
  controlPlane: z.string().min(1).max(63).optional().describe('The label `control-plane`; the name by default.'),
  replicas: z.int().min(0).max(50).optional().describe('In place of `replicas`.'),
  resources: structure.optional().describe('In place of `resources`.'),
});

export type PartValues = z.output<typeof part>;

/** What values.yaml may contain. The chart's schema, defaults and documentation are generated from here. */
export const chartValues = z.strictObject({
  enabled: z.boolean().optional().describe('For a chart that depends on this one; not used here.'),
  global: structure.optional().describe('For a chart that depends on this one; not used here.'),
  nameOverride: z
    .string()
    .max(40)
    .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$/)
    .default('')
    .describe('Appended to the name of the release, unless that contains it: `<release>-<nameOverride>`.'),
  fullnameOverride: z
    .string()
    .max(40)
    .regex(/^([a-z]([a-z0-9-]*[a-z0-9])?)?$/)
    .default('')
    .describe('The name of the installation, which is on everything it creates; the name of the release by default.'),
  extraLabels: labels.default({}).describe('Labels of all objects.'),
  image: z
    .strictObject({
      registry: z.string().min(1).default('ghcr.io').describe('Host and port of the registry.'),
      repository: z.string().min(1).default('supercargo/supercargo').describe('The repository.'),
      tag: z.string().default('').describe('The tag; the version of the chart by default.'),
      digest: z
        .string()
        .regex(/^(sha256:[0-9a-f]{64})?$/)
        .default('')
        .describe('The digest, in place of the tag: `sha256:…`.'),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).default('IfNotPresent').describe('When it is pulled.'),
    })
    .prefault({})
    .describe('The container image.'),
  imagePullSecrets: structures.default([]).describe('Secrets to pull it with: `- name: registry`.'),
  replicas: z.int().min(0).max(50).default(2).describe('The number of pods of each part. One of them leads.'),
  features: z
    .array(feature)
    .default([])
    .describe(
      'What runs. By default all features that need no other server, and `mirror` where `mirror.registry` is set.',
    ),
  parts: z
    .array(part)
    .default([])
    .describe(
      'Deployments with an identity and the permissions of their own features only. By default the features are\n' +
        'grouped into `policies`, `mirror`, `automation`, `insights` and `dashboard`. Example: `- {name: detect, features: [detect]}`.',
    ),
  config: configSchema
    .omit({ installation: true, namespace: true, features: true, server: true })
    .partial()
    .prefault({})
    .describe('Settings of the program. The pods are replaced when they change.'),
  crds: z
    .strictObject({
      install: z.boolean().default(true).describe('Install the definitions with the chart.'),
      keep: z
        .boolean()
        .default(true)
        .describe('Keep them on `helm uninstall`: without them every policy of the cluster is deleted.'),
      kyverno: z
        .boolean()
        .default(true)
        .describe('Those of kyverno.io and policies.kyverno.io; false where Kyverno installs its own.'),
      reports: z
        .boolean()
        .default(true)
        .describe('Those of wgpolicyk8s.io; false where another program installs its own.'),
    })
    .prefault({})
    .describe(
      'The custom resource definitions. One that is in the cluster already, and not of this release, is left as it is.',
    ),
  rbac: z
    .strictObject({
      create: z.boolean().default(true).describe('Create roles and bindings.'),
      aggregate: z
        .boolean()
        .default(true)
        .describe('Add the custom resources to the roles view, edit and admin of the cluster.'),
      extraRules: structures
        .default([])
        .describe('Rules for all parts, cluster-wide. For generated kinds use aggregation (docs/generate.md).'),
    })
    .prefault({})
    .describe('Permissions. Each part gets those of its features.'),
  serviceAccount: z
    .strictObject({
      create: z.boolean().default(true).describe('Create a ServiceAccount for each part.'),
      annotations: labels.default({}).describe('Their annotations, for example `eks.amazonaws.com/role-arn`.'),
    })
    .prefault({})
    .describe('The identities of the parts: `<installation>-<part>`.'),
  webhook: z
    .strictObject({
      failurePolicy: z
        .enum(['Fail', 'Ignore'])
        .optional()
        .describe('Of the webhook that rewrites images: `Ignore` by default. A policy names its own.'),
      apiServerCidrs: z
        .array(z.string().min(1))
        .default([])
        .describe('Admit only these addresses to the webhooks: those of the API server.'),
      certManager: z
        .strictObject({
          enabled: z.boolean().default(false).describe('Let cert-manager issue the certificates.'),
          issuerRef: structure.default({}).describe('The issuer; one of our own, self-signed, by default.'),
        })
        .prefault({})
        .describe('By default the program issues and renews its own certificates.'),
    })
    .prefault({})
    .describe('Admission webhooks.'),
  mirror: z
    .strictObject({
      registry: z.string().default('').describe('Where copies of images go: `registry.example/copies`.'),
      existingSecret: z
        .string()
        .default('')
        .describe(
          'A Secret with `username` and `password`; `<installation>-backup-registry` by default, if there is one.',
        ),
      namespaces: z
        .array(z.string().min(1))
        .default([])
        .describe('Namespaces whose pull secrets may be read, to copy private images.'),
    })
    .prefault({})
    .describe('The copy of every image.'),
  detection: z
    .strictObject({
      users: z
        .array(z.string().min(1))
        .default([])
        .describe('Users besides our own identities that may write ImageDetected objects.'),
    })
    .prefault({})
    .describe('Detected images.'),
  dashboard: z
    .strictObject({
      tls: z
        .strictObject({
          existingSecret: z
            .string()
            .default('')
            .describe(
              'A Secret of type kubernetes.io/tls: the page is served over TLS with it, and the Service has port 443.',
            ),
        })
        .prefault({})
        .describe('By default plain HTTP, for a proxy in front of it.'),
      service: z
        .strictObject({
          type: z
            .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
            .default('ClusterIP')
            .describe('Types that are reached from outside need `tls.existingSecret`: users send tokens.'),
          port: z.int().min(1).max(65535).optional().describe('Its port; 443 with TLS, otherwise 80, by default.'),
          annotations: labels.default({}).describe('Its annotations.'),
        })
        .prefault({})
        .describe('The Service `<installation>-dashboard`.'),
      ingress: z
        .strictObject({
          enabled: z.boolean().default(false).describe('Create an Ingress; its controller must keep sessions.'),
          className: z.string().default('').describe('The IngressClass; that of the cluster by default.'),
          hosts: z
            .array(z.string().min(1).max(253))
            .default([])
            .describe('The host names of the page: `images.example.com`.'),
          annotations: labels.default({}).describe('Annotations for its controller.'),
          tls: z
            .strictObject({
              existingSecret: z
                .string()
                .default('')
                .describe('A Secret of type kubernetes.io/tls; the certificate of the controller by default.'),
            })
            .prefault({})
            .describe('An Ingress is always for TLS.'),
        })
        .prefault({})
        .describe('An Ingress in front of that Service.'),
    })
    .prefault({})
    .describe('The page of images.'),
  insights: z
    .strictObject({
      host: z.url().default('https://insights.fairwinds.com').describe('The address of Fairwinds Insights.'),
      existingSecret: z
        .string()
        .min(1)
        .default('fairwinds-insights')
        .describe('A Secret with `token`, `org` and `cluster`.'),
    })
    .prefault({})
    .describe('For the features `sync` and `jobs`.'),
  metrics: z
    .strictObject({
      serviceMonitor: z
        .strictObject({
          enabled: z.boolean().default(false).describe('Create Services and a ServiceMonitor.'),
          interval: z.string().default('30s').describe('How often metrics are read.'),
          labels: labels.default({}).describe('Labels by which Prometheus selects it.'),
        })
        .prefault({})
        .describe('For the Prometheus operator.'),
      prometheusRule: z
        .strictObject({
          enabled: z.boolean().default(false).describe('Create alerts.'),
          labels: labels.default({}).describe('Labels by which Prometheus selects it.'),
        })
        .prefault({})
        .describe('For the Prometheus operator.'),
      grafana: z
        .strictObject({
          enabled: z.boolean().default(false).describe('Create a ConfigMap with a dashboard.'),
          labels: labels.default({ grafana_dashboard: '1' }).describe('Labels by which Grafana finds it.'),
        })
        .prefault({})
        .describe('A dashboard.'),
    })
    .prefault({})
    .describe('Monitoring.'),
  networkPolicy: z
    .strictObject({ enabled: z.boolean().default(true).describe('Admit only who needs to connect.') })
    .prefault({})
    .describe('Namespaces that read metrics need the label `supercargo.dev/metrics: "true"`.'),
  podDisruptionBudget: z
    .strictObject({
      enabled: z.boolean().default(true).describe('Create one for each part.'),
      maxUnavailable: z.int().min(0).default(1).describe('How many pods may be evicted at once.'),
      minAvailable: z.int().min(1).optional().describe('How many must stay, in place of maxUnavailable.'),
    })
    .prefault({})
    .describe('Limits evictions, for example when nodes are drained.'),
  resources: structure.default(resources).describe('Requests and limits of a pod.'),
  nodeSelector: labels.default({}).describe('Which nodes may run the pods.'),
  tolerations: structures.default([]).describe('Taints that the pods tolerate.'),
  affinity: structure.default({}).describe('Affinity of the pods.'),
  topologySpreadConstraints: structures
    .default([])
    .describe('In place of the default, which spreads the pods of a part over nodes where that is possible.'),
  priorityClassName: z.string().default('').describe('For example `system-cluster-critical`.'),
  podSecurityContext: structure
    .default({ runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } })
    .describe('The security context of the pods; the default meets the restricted pod security standard.'),
  securityContext: structure
    .default({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    .describe('That of the containers.'),
  podLabels: labels.default({}).describe('Labels of the pods.'),
  podAnnotations: labels.default({}).describe('Annotations of the pods.'),
  extraEnv: structures.default([]).describe('Environment variables, for example proxies.'),
  extraVolumes: structures.default([]).describe('Volumes of the pods, for example with CAs of registries.'),
  extraVolumeMounts: structures.default([]).describe('Where they are mounted.'),
  extraObjects: structures.default([]).describe('Other objects to install with the chart; may contain templates.'),
  uninstallHook: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe(
          'Remove webhooks before the pods that answer them, so that no request waits for a program that is gone.',
        ),
    })
    .prefault({})
    .describe(
      'A Job with the same image on `helm uninstall`, on upgrades that leave webhooks without a program, and after a rollback.',
    ),
});

export type ChartValues = z.output<typeof chartValues>;
