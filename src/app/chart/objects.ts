import { detectionAdmission, writesDetections } from '../features/create-admission.ts';
import { dashboardTlsFolder, deployment } from '../install-deployment.ts';
import { networkPolicy } from '../install-network.ts';
import { partFullName, partLabels, partSelector, sharedLabels } from '../install-objects.ts';
import {
  aggregatingFeatures,
  aggregationSelectors,
  clusterRuleTemplates,
  namespaceRuleTemplates,
  pullSecretRules,
  webhookFeatures,
  webhookRuleTemplates,
} from '../install-rbac.ts';
import { alerts, dashboard, metricsService, serviceMonitor } from './monitoring.ts';
import {
  and,
  block,
  config,
  controlPlane,
  each,
  givenSecret,
  type InstallExpression,
  type InstallTemplate,
  ifAny,
  installation,
  item,
  joined,
  namespace,
  not,
  or,
  partFeatures,
  partName,
  runs,
  scalar,
  structure,
  text,
  value,
  when,
} from './scope.ts';
import { userRoles } from './user-roles.ts';

type Objects = readonly InstallTemplate[];

const rbacVersion = 'rbac.authorization.k8s.io/v1';
const makesRoles = value('rbac.create');
const labels = partLabels();
const name = scalar(partFullName);
const metadata = { name, namespace: scalar(namespace), labels };
const labelled = { ...metadata, labels: partLabels({ 'control-plane': scalar(controlPlane) }) };
const clusterName = joined`${installation}:${namespace}:${partName}`;
const aggregatedName = joined`${installation}:${namespace}:${partName}:aggregated`;
const registrationName = joined`${installation}:${namespace}:${partName}:webhooks`;
const hasWebhooks = runs(...webhookFeatures);
const usesCertManager = value('webhook.certManager.enabled');

const subjects = [{ kind: 'ServiceAccount', name, namespace: scalar(namespace) }];
const roleRef = (kind: string, to: InstallExpression) => ({
  apiGroup: 'rbac.authorization.k8s.io',
  kind,
  name: scalar(to),
});
const clusterRole = (as: InstallExpression, content: Readonly<Record<string, InstallTemplate>>): InstallTemplate => ({
  apiVersion: rbacVersion,
  kind: 'ClusterRole',
  metadata: { name: scalar(as), labels },
  ...content,
});
const clusterRoleBinding = (as: InstallExpression): InstallTemplate => ({
  apiVersion: rbacVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name: scalar(as), labels },
  roleRef: roleRef('ClusterRole', as),
  subjects,
});

const serviceAccount: Objects = [
  when(value('serviceAccount.create'), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { ...metadata, annotations: ifAny(value('serviceAccount.annotations')) },
  }),
];

/** The control plane writes the rules of the aggregated role: those of all ClusterRoles with the administrator's label. */
const roles: Objects = [
  when(makesRoles, [
    { apiVersion: rbacVersion, kind: 'Role', metadata, rules: namespaceRuleTemplates(text`${partFullName}-webhook`) },
    {
      apiVersion: rbacVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: roleRef('Role', partFullName),
      subjects,
    },
    clusterRole(clusterName, {
      rules: [
        ...(clusterRuleTemplates as Objects),
        when(value('rbac.extraRules'), structure(value('rbac.extraRules'))),
      ],
    }),
    clusterRoleBinding(clusterName),
  ]),
  when(and(makesRoles, hasWebhooks), [
    clusterRole(registrationName, { rules: webhookRuleTemplates }),
    clusterRoleBinding(registrationName),
  ]),
  when(and(makesRoles, runs(...aggregatingFeatures)), [
    clusterRole(aggregatedName, { aggregationRule: { clusterRoleSelectors: aggregationSelectors } }),
    clusterRoleBinding(aggregatedName),
  ]),
];

const configMap: Objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'config.yaml': block(config) } }];

/** Also the name of the Secret with its certificate: two parts never share a key. */
const webhookName = joined`${installation}-${partName}-webhook`;
const webhookMetadata = { ...metadata, name: scalar(webhookName) };

/** The Secret is ours from the start: the program may not create any. */
const webhook: Objects = [
  when(and(hasWebhooks, not(or(usesCertManager, givenSecret))), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: webhookMetadata,
    type: 'Opaque',
  }),
  when(hasWebhooks, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...labelled, name: scalar(webhookName) },
    spec: { selector: partSelector, ports: [{ name: 'https', port: 443, targetPort: 'webhook' }] },
  }),
  when(and(hasWebhooks, usesCertManager), [
    when(not(value('webhook.certManager.issuerRef')), {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: webhookMetadata,
      spec: { selfSigned: {} },
    }),
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: webhookMetadata,
      spec: {
        secretName: scalar(webhookName),
        dnsNames: [text`${webhookName}.${namespace}.svc`, text`${webhookName}.${namespace}.svc.cluster.local`],
        privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
        issuerRef: when(value('webhook.certManager.issuerRef'), structure(value('webhook.certManager.issuerRef')), {
          kind: 'Issuer',
          name: scalar(webhookName),
        }),
      },
    },
  ]),
];

const servesTls = value('dashboard.tls.existingSecret');
const pagePort = value('dashboard.service.port');
const pageHosts = value<readonly string[]>('dashboard.ingress.hosts');
const portOf = (standard: number) => when(pagePort, scalar(pagePort), standard);

/** Sessions are kept by the replica that opened them. */
const page: Objects = [
  when(runs('dashboard'), {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...labelled, annotations: ifAny(value('dashboard.service.annotations')) },
    spec: {
      type: scalar(value('dashboard.service.type')),
      selector: partSelector,
      sessionAffinity: 'ClientIP',
      ports: [
        when(
          servesTls,
          { name: 'https', port: portOf(443), targetPort: 'dashboard' },
          { name: 'http', port: portOf(80), targetPort: 'dashboard' },
        ),
      ],
    },
  }),
  when(and(runs('dashboard'), value('dashboard.ingress.enabled')), {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { ...metadata, annotations: ifAny(value('dashboard.ingress.annotations')) },
    spec: {
      ingressClassName: when(value('dashboard.ingress.className'), scalar(value('dashboard.ingress.className'))),
      // Also without a Secret: controllers then use their own certificate, and redirect from plain HTTP.
      tls: [
        {
          hosts: structure(pageHosts),
          secretName: when(
            value('dashboard.ingress.tls.existingSecret'),
            scalar(value('dashboard.ingress.tls.existingSecret')),
          ),
        },
      ],
      rules: [
        each(pageHosts, {
          host: scalar(item),
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name, port: { name: when(servesTls, 'https', 'http') } } },
              },
            ],
          },
        }),
      ],
    },
  }),
];

const budget: Objects = [
  when(value('podDisruptionBudget.enabled'), {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: {
      minAvailable: when(value('podDisruptionBudget.minAvailable'), scalar(value('podDisruptionBudget.minAvailable'))),
      maxUnavailable: when(
        not(value('podDisruptionBudget.minAvailable')),
        scalar(value('podDisruptionBudget.maxUnavailable')),
      ),
      selector: { matchLabels: partSelector },
    },
  }),
];

/** The objects of one part, by the file of the chart that holds them, in the order in which they are applied. */
export const partObjects: Readonly<Record<string, Objects>> = {
  serviceaccount: serviceAccount,
  rbac: roles,
  configmap: configMap,
  webhook,
  dashboard: page,
  networkpolicy: [when(value('networkPolicy.enabled'), networkPolicy(metadata, partSelector))],
  poddisruptionbudget: budget,
  deployment: [
    deployment({ podLabels: { ...partSelector, 'control-plane': scalar(controlPlane) }, metadata: labelled }),
  ],
  servicemonitor: [when(value('metrics.serviceMonitor.enabled'), [metricsService(metadata), serviceMonitor(metadata)])],
};

const mirrorNamespaces = value<readonly string[]>('mirror.namespaces');
const pullSecretsName = joined`${installation}-pull-secrets`;

/** The objects of the whole installation, likewise. `pull-secrets` is bound to the part that copies images. */
export const sharedObjects: Readonly<Record<string, Objects>> = {
  detections: [when(and(writesDetections, servesAdmissionPolicies()), detectionAdmission(sharedLabels()))],
  'user-roles': [when(and(makesRoles, value('rbac.aggregate')), userRoles)],
  monitoring: [
    when(value('metrics.prometheusRule.enabled'), alerts),
    when(value('metrics.grafana.enabled'), dashboard),
  ],
};

/** Only of the part that copies images. */
export const mirrorObjects: Readonly<Record<string, Objects>> = {
  'pull-secrets': [
    when(and(makesRoles, runs('mirror')), [
      {
        apiVersion: rbacVersion,
        kind: 'ClusterRole',
        metadata: { name: scalar(pullSecretsName), labels },
        rules: pullSecretRules as unknown as InstallTemplate,
      },
      each(mirrorNamespaces, {
        apiVersion: rbacVersion,
        kind: 'RoleBinding',
        metadata: { name: scalar(pullSecretsName), namespace: scalar(item), labels },
        roleRef: roleRef('ClusterRole', pullSecretsName),
        subjects,
      }),
    ]),
  ],
};

/** By version, as `helm template` knows nothing of a cluster. */
function servesAdmissionPolicies(): InstallExpression<boolean> {
  return { helm: '(semverCompare ">=1.30.0-0" $.Capabilities.KubeVersion.Version)', read: () => true };
}

/** Settings that follow from the ports and Services of the pods, by their section. */
export const fixedSettings: Readonly<Record<string, readonly string[]>> = {
  webhook: ['host', 'port', 'exposure', 'url', 'service'],
  dashboard: ['host', 'port', 'tls'],
};

/** The settings that follow from the installation; they take precedence over `config`. */
export const ownConfig: InstallTemplate = {
  installation: scalar(installation),
  namespace: scalar(namespace),
  features: structure(partFeatures),
  server: { host: '0.0.0.0', port: 8080 },
  dashboard: when(runs('dashboard'), {
    host: '0.0.0.0',
    tls: when(value('dashboard.tls.existingSecret'), {
      certificateFile: `${dashboardTlsFolder}/tls.crt`,
      keyFile: `${dashboardTlsFolder}/tls.key`,
    }),
  }),
  webhook: when(hasWebhooks, {
    service: { name: scalar(webhookName) },
    tls: when(usesCertManager, { secretName: scalar(webhookName) }),
  }),
  // Detection must know which repositories hold copies.
  mirror: when(or(value('mirror.registry'), value('webhook.failurePolicy')), {
    registry: when(value('mirror.registry'), scalar(value('mirror.registry'))),
    failurePolicy: when(value('webhook.failurePolicy'), scalar(value('webhook.failurePolicy'))),
  }),
};
