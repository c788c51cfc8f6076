import { customResourceDefinitions, ownerLabel } from '../api/index.ts';
import { renderYaml, SupercargoError } from '../base/index.ts';
import type { Discovery } from '../kube/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configurationTypes } from '../webhook/index.ts';
import type { FeatureName } from './config.ts';
import { detectionAdmission } from './features/create-admission.ts';
import { defaultFeatures } from './features/index.ts';
import { clusterRules, namespaceRules } from './install-rbac.ts';

export interface InstallOptions {
  readonly namespace: string;
  readonly installation: string;
  readonly image: string;
  readonly replicas: number;
  /** All that there are, unless named; cloning images only with a registry to clone them to. */
  readonly features?: readonly FeatureName[];
  /** Where copies of images go. */
  readonly backupRegistry?: string | undefined;
}

/** What an installation consists of, in the order it is applied. */
export function installManifests(options: InstallOptions): readonly KubeObject[] {
  const { namespace, installation, image, replicas, backupRegistry } = options;
  const features = options.features ?? [...defaultFeatures, ...(backupRegistry ? (['mirror'] as const) : [])];
  const labels = {
    'app.kubernetes.io/name': 'supercargo',
    'app.kubernetes.io/instance': installation,
    [ownerLabel]: installation,
  };
  const name = installation;
  const inNamespace = { name, namespace, labels };
  const clusterName = `${installation}:${namespace}`;
  return [
    ...customResourceDefinitions(installation),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: inNamespace,
      rules: namespaceRules(installation, features),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: inNamespace,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: clusterName, labels },
      rules: clusterRules(installation, features),
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: clusterName, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterName },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    ...(features.includes('detect') || features.includes('create')
      ? detectionAdmission({ installation, labels, users: [`system:serviceaccount:${namespace}:${name}`] })
      : []),
    configMap(inNamespace, options, features),
    webhookService(inNamespace, labels),
    deployment(inNamespace, labels, { image, replicas, env: features.includes('mirror') ? backupLogin(name) : [] }),
  ];
}

function configMap(
  metadata: KubeObject['metadata'],
  { installation, namespace, backupRegistry }: InstallOptions,
  features: readonly FeatureName[],
): KubeObject {
  const config = renderYaml({
    installation,
    namespace,
    features,
    server: { host: '0.0.0.0', port: 8080 },
    ...(backupRegistry ? { mirror: { registry: backupRegistry } } : {}),
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'config.yaml': config } };
}

/** By which a restarted container knows the leases of its predecessor. */
const podIdentity = [
  ['POD_NAME', 'metadata.name'],
  ['POD_UID', 'metadata.uid'],
].map(([name, fieldPath]) => ({ name, valueFrom: { fieldRef: { fieldPath } } }));

/** Name and password for the backup registry, from a Secret that the user makes, if one is needed. */
const backupLogin = (installation: string) =>
  [
    ['BACKUP_REGISTRY_USERNAME', 'username'],
    ['BACKUP_REGISTRY_PASSWORD', 'password'],
  ].map(([name, key]) => ({
    name,
    valueFrom: { secretKeyRef: { name: `${installation}-backup-registry`, key, optional: true } },
  }));

/** Where the API server asks about requests. */
function webhookService(metadata: KubeObject['metadata'], labels: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, name: `${metadata.name}-webhook`, labels: { ...labels, 'control-plane': 'supercargo' } },
    spec: { selector: selectorOf(labels), ports: [{ name: 'https', port: 443, targetPort: 'webhook' }] },
  };
}

const selectorOf = (labels: Readonly<Record<string, string>>) => ({
  'app.kubernetes.io/name': labels['app.kubernetes.io/name']!,
  'app.kubernetes.io/instance': labels['app.kubernetes.io/instance']!,
});

function deployment(
  metadata: KubeObject['metadata'],
  labels: Readonly<Record<string, string>>,
  { image, replicas, env }: { readonly image: string; readonly replicas: number; readonly env: readonly object[] },
): KubeObject {
  const selector = selectorOf(labels);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...metadata, labels: { ...metadata.labels, 'control-plane': 'supercargo' } },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels: { ...selector, 'control-plane': 'supercargo' } },
        spec: {
          serviceAccountName: metadata.name,
          securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'supercargo',
              image,
              args: ['run', '--config', '/etc/supercargo/config.yaml'],
              env: [...podIdentity, ...env],
              ports: [
                { name: 'http', containerPort: 8080 },
                { name: 'webhook', containerPort: 9443 },
              ],
              readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
              livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
              resources: {
                requests: { cpu: '50m', memory: '128Mi', 'ephemeral-storage': '128Mi' },
                limits: { memory: '512Mi', 'ephemeral-storage': '3Gi' },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'config', mountPath: '/etc/supercargo', readOnly: true },
                // Copies of Git repositories, and keys while git runs.
                { name: 'temporary', mountPath: '/tmp' },
              ],
            },
          ],
          volumes: [
            { name: 'config', configMap: { name: metadata.name } },
            { name: 'temporary', emptyDir: { sizeLimit: '2Gi' } },
          ],
        },
      },
    },
  };
}

export interface Step {
  readonly action: 'applied' | 'removed' | 'kept' | 'absent';
  readonly object: string;
  readonly reason?: string;
}

export class InstallError extends SupercargoError {}

/** Applies the manifests; an object of the same name that is not ours is left alone and told. */
export async function applyManifests(
  client: KubeClient,
  discovery: Discovery,
  objects: readonly KubeObject[],
  onStep: (step: Step) => void,
): Promise<void> {
  for (const object of objects) {
    const type = await typeOf(discovery, object);
    if (!type) {
      onStep({ action: 'kept', object: describe(object), reason: notServed });
      continue;
    }
    const owner = object.metadata.labels?.[ownerLabel];
    const present = await find(client, type, object);
    // Others may have brought the same kinds before, Kyverno above all: theirs stay theirs.
    const isShared = object.kind === 'Namespace' || object.kind === 'CustomResourceDefinition';
    if (present && present.metadata.labels?.[ownerLabel] !== owner) {
      if (!isShared)
        throw new InstallError(
          'install-foreign',
          `${describe(object)} exists and is not ours (label ${ownerLabel}: ${owner} is missing); rename or remove it, or choose another --installation`,
        );
      onStep({ action: 'kept', object: describe(object), reason: 'it was there before' });
      continue;
    }
    await client.apply(type, object, { fieldManager: 'supercargo-install', force: true });
    onStep({ action: 'applied', object: describe(object) });
  }
}

/**
 * Removes what `installManifests` lists and is ours, last first. Webhooks go before anything else: they would ask a
 * server that is gone. Definitions stay: with them every policy of the cluster would go.
 */
export async function removeManifests(
  client: KubeClient,
  discovery: Discovery,
  objects: readonly KubeObject[],
  onStep: (step: Step) => void,
): Promise<void> {
  const installation = objects[0]?.metadata.labels?.[ownerLabel];
  if (installation !== undefined) await removeWebhooks(client, installation, onStep);
  for (const object of [...objects].reverse()) {
    if (object.kind === 'CustomResourceDefinition') {
      onStep({ action: 'kept', object: describe(object), reason: 'every policy or report would go with it' });
      continue;
    }
    const type = await typeOf(discovery, object);
    const present = type && (await find(client, type, object));
    if (!type || !present) onStep({ action: 'absent', object: describe(object) });
    else if (present.metadata.labels?.[ownerLabel] !== object.metadata.labels?.[ownerLabel])
      onStep({ action: 'kept', object: describe(object), reason: 'it is not ours' });
    else {
      await client.delete(type, keyOf(object), {
        propagationPolicy: 'Background',
        preconditions: { uid: present.metadata.uid! },
      });
      onStep({ action: 'removed', object: describe(object) });
    }
  }
}

async function removeWebhooks(client: KubeClient, installation: string, onStep: (step: Step) => void): Promise<void> {
  for (const type of Object.values(configurationTypes)) {
    const { items } = await client.list(type, { labelSelector: `${ownerLabel}=${installation}` });
    for (const { kind, metadata } of items) {
      const { name = '', uid = '' } = metadata;
      await client.delete(type, { name }, { preconditions: { uid } });
      onStep({ action: 'removed', object: `${kind.toLowerCase()}/${name}` });
    }
  }
}

const keyOf = ({ metadata }: KubeObject) => ({ name: metadata.name!, namespace: metadata.namespace });
const describe = ({ kind, metadata }: KubeObject) => `${kind.toLowerCase()}/${metadata.name}`;

/** Served since Kubernetes 1.30: an older server goes without, and detections are confirmed by their policy alone. */
const optionalKinds: ReadonlySet<string> = new Set(['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);
const notServed = 'the cluster does not serve this kind';

async function typeOf(discovery: Discovery, object: KubeObject): Promise<ResourceType | undefined> {
  const type = await discovery.byKind(`${object.apiVersion}/${object.kind}`);
  if (!type && !optionalKinds.has(object.kind))
    throw new InstallError('install-unknown-kind', `the cluster does not serve ${object.apiVersion} ${object.kind}`);
  return type;
}

async function find(client: KubeClient, type: ResourceType, object: KubeObject): Promise<KubeObject | undefined> {
  try {
    return await client.get(type, keyOf(object));
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}
