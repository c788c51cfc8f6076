import { customResourceDefinitions } from '../api/index.ts';
import { renderYaml, UsageError } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { FeatureName } from './config.ts';
import { detectionAdmission } from './features/create-admission.ts';
import { defaultFeatures } from './features/index.ts';
import { deployment } from './install-deployment.ts';
import { networkPolicy } from './install-network.ts';
import { installationLabels, type Labels, pullSecretsRole, selectorOf } from './install-objects.ts';
import { type Part, partsOf } from './install-parts.ts';
import {
  aggregationSelectors,
  clusterRules,
  hasWebhooks,
  namespaceRules,
  type PolicyRule,
  pullSecretRules,
} from './install-rbac.ts';

export { applyManifests } from './install-apply.ts';
export type { OnObjectAction } from './install-objects.ts';
export { parseParts } from './install-parts.ts';
export { removeInstallation } from './install-remove.ts';

export interface InstallOptions {
  readonly namespace: string;
  readonly installation: string;
  readonly image: string;
  readonly replicas: number;
  /** All features by default; `mirror` only with a registry to copy to. */
  readonly features?: readonly FeatureName[] | undefined;
  /** Replaces the default grouping of the features. */
  readonly parts?: readonly Part[] | undefined;
  /** Where copies of images go. */
  readonly backupRegistry?: string | undefined;
  /** Namespaces whose pull secrets may be read to copy private images. */
  readonly mirrorNamespaces?: readonly string[] | undefined;
  /** Source addresses of the API server's webhook calls; any by default. */
  readonly apiServerCidrs?: readonly string[] | undefined;
  /** Users besides our own identities that may write ImageDetected objects, as the API server names them. */
  readonly detectionUsers?: readonly string[] | undefined;
}

interface PartOptions extends InstallOptions {
  readonly part: Part;
  /** The name of the part's objects in our namespace. */
  readonly name: string;
  readonly labels: Labels;
}

/** The objects of an installation, in the order they are applied. */
export function installManifests(options: InstallOptions): readonly KubeObject[] {
  const { namespace, installation, backupRegistry } = options;
  const features = options.features ?? [...defaultFeatures, ...(backupRegistry ? (['mirror'] as const) : [])];
  const parts = options.parts ?? partsOf(features);
  const mirroring = parts.find((part) => part.features.includes('mirror'));
  if (!mirroring && (options.mirrorNamespaces ?? []).length > 0)
    throw new UsageError(
      'install-mirror-namespace',
      '--mirror-namespace needs the feature mirror: name a --backup-registry',
    );
  const labels = installationLabels(installation);
  return [
    ...customResourceDefinitions(installation),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    ...detectionManifests(options, parts, labels),
    ...parts.flatMap((part) => partManifests(partOptions(options, part, labels))),
    ...(mirroring ? pullSecretManifests(partOptions(options, mirroring, labels)) : []),
  ];
}

function detectionManifests(options: InstallOptions, parts: readonly Part[], labels: Labels) {
  const { installation, namespace, detectionUsers = [] } = options;
  const writers = parts.filter(({ features }) => features.includes('detect') || features.includes('create'));
  const own = writers.map(({ name }) => `system:serviceaccount:${namespace}:${installation}-${name}`);
  const users = [...own, ...detectionUsers];
  return own.length > 0 ? detectionAdmission({ installation, namespace, labels, users }) : [];
}

const partOptions = (options: InstallOptions, part: Part, labels: Labels): PartOptions => ({
  ...options,
  part,
  name: `${options.installation}-${part.name}`,
  labels: { ...labels, 'app.kubernetes.io/component': part.name },
});

function partManifests(options: PartOptions): readonly KubeObject[] {
  const { namespace, installation, part, name, labels } = options;
  const { features } = part;
  const metadata = { name, namespace, labels };
  const clusterName = `${installation}:${namespace}:${part.name}`;
  const selectors = aggregationSelectors(features);
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    role(metadata, namespaceRules(installation, features, webhookName(name))),
    binding(metadata, { kind: 'Role', name }, options),
    role({ name: clusterName, labels }, clusterRules(installation, features)),
    binding({ name: clusterName, labels }, { kind: 'ClusterRole', name: clusterName }, options),
    ...(selectors.length > 0 ? aggregated(`${clusterName}:aggregated`, selectors, options) : []),
    configMap(metadata, options),
    ...(hasWebhooks(features) ? webhookManifests(metadata) : []),
    networkPolicy(metadata, { hasWebhooks: hasWebhooks(features), apiServerCidrs: options.apiServerCidrs ?? [] }),
    deployment(metadata, options),
  ];
}

/** Also the name of the Secret with its certificate: two parts never share a key. */
const webhookName = (name: string) => `${name}-webhook`;

type Metadata = KubeObject['metadata'];

const rbac = 'rbac.authorization.k8s.io';

const role = (metadata: Metadata, rules: readonly PolicyRule[]): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: metadata.namespace === undefined ? 'ClusterRole' : 'Role',
  metadata,
  rules,
});

const binding = (
  metadata: Metadata,
  roleRef: { readonly kind: string; readonly name: string },
  { name, namespace }: PartOptions,
): KubeObject => ({
  apiVersion: `${rbac}/v1`,
  kind: metadata.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata,
  roleRef: { apiGroup: rbac, ...roleRef },
  subjects: [{ kind: 'ServiceAccount', name, namespace }],
});

/** The control plane writes its rules: those of all ClusterRoles with the administrator's label. */
const aggregated = (
  name: string,
  clusterRoleSelectors: ReturnType<typeof aggregationSelectors>,
  options: PartOptions,
): readonly KubeObject[] => [
  {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: options.labels },
    aggregationRule: { clusterRoleSelectors },
  },
  binding({ name, labels: options.labels }, { kind: 'ClusterRole', name }, options),
];

function pullSecretManifests(options: PartOptions): readonly KubeObject[] {
  const { installation, labels, mirrorNamespaces = [] } = options;
  const name = pullSecretsRole(installation);
  return [
    role({ name, labels }, pullSecretRules),
    ...mirrorNamespaces.map((namespace) =>
      binding({ name, namespace, labels }, { kind: 'ClusterRole', name }, options),
    ),
  ];
}

function configMap(metadata: Metadata, options: PartOptions): KubeObject {
  const { installation, namespace, backupRegistry, part, name } = options;
  const config = renderYaml({
    installation,
    namespace,
    features: part.features,
    server: { host: '0.0.0.0', port: 8080 },
    ...(hasWebhooks(part.features) ? { webhook: { service: { name: webhookName(name) } } } : {}),
    // Detection must know which repositories hold copies.
    ...(backupRegistry ? { mirror: { registry: backupRegistry } } : {}),
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'config.yaml': config } };
}

/** The webhook Service, and the Secret for the program's certificate. */
function webhookManifests({ name, namespace, labels = {} }: Metadata): readonly KubeObject[] {
  const metadata = { name: webhookName(name!), ...(namespace ? { namespace } : {}), labels };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque' },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, labels: { ...labels, 'control-plane': labels['app.kubernetes.io/component']! } },
      spec: {
        selector: selectorOf(labels),
        ports: [{ name: 'https', port: 443, targetPort: 'webhook' }],
      },
    },
  ];
}
