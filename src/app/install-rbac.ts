import { configurationName, configurationTypes } from '../webhook/index.ts';
import { type FeatureName, policyFeatures } from './config.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const read = ['get', 'list', 'watch'];
/** Features with webhooks. */
const webhookFeatures: ReadonlySet<FeatureName> = new Set(['admission', 'mirror']);

export const hasWebhooks = (features: readonly FeatureName[]) => features.some((name) => webhookFeatures.has(name));

/**
 * Permissions in our own namespace. Secrets cannot be created: with that permission one can get the token of any
 * ServiceAccount of the namespace. The Secret of the webhook's certificate is part of the installation.
 */
export function namespaceRules(
  installation: string,
  features: readonly FeatureName[],
  webhookSecret = `${installation}-webhook`,
): readonly PolicyRule[] {
  return [
    // `create` cannot be restricted by name, so only read and update are restricted to our names.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: features.map((feature) => `${installation}-${feature}`),
      // A single object is read by a list of one, which carries the server's time.
      verbs: ['get', 'list', 'update'],
    },
    ...(hasWebhooks(features)
      ? [{ apiGroups: [''], resources: ['secrets'], resourceNames: [webhookSecret], verbs: [...read, 'update'] }]
      : []),
    // The checkpoint, run-once records, and the outboxes of replicas, whose names are not known in advance.
    ...(features.includes('generate') || features.includes('report')
      ? [{ apiGroups: [''], resources: ['configmaps'], verbs: [...read, 'create', 'update', 'patch', 'delete'] }]
      : []),
    ...(features.includes('sync') || features.includes('jobs') ? syncLockRules : []),
    ...(features.includes('jobs') ? jobsRules(installation) : []),
  ];
}

/** The lock that a sync shares with the CronJob of manifests/policy-sync. */
const syncLockRules: readonly PolicyRule[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['kyverno-policy-sync-lock'],
    verbs: ['list', 'update'],
  },
];

/** The job runner creates Jobs from CronJobs of its own namespace, and stores in one ConfigMap what a restart needs. */
export const jobsRules = (installation: string): readonly PolicyRule[] => [
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [`${installation}-on-demand-jobs`],
    verbs: ['get', 'patch'],
  },
];

/** The rules of the ClusterRole `<installation>-pull-secrets`. It is bound per namespace, never cluster-wide. */
export const pullSecretRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

/**
 * The labels with which an administrator adds permissions for the kinds that policies generate, look up or report on.
 */
const kyvernoControllers: Partial<Record<FeatureName, string>> = {
  admission: 'admission-controller',
  generate: 'background-controller',
  report: 'reports-controller',
};

/** Selects the ClusterRoles whose rules are aggregated for the policy features; empty without such a feature. */
export function aggregationSelectors(
  features: readonly FeatureName[],
): readonly { readonly matchLabels: Readonly<Record<string, string>> }[] {
  return features.flatMap((feature) => {
    const controller = kyvernoControllers[feature];
    if (controller === undefined) return [];
    return [`supercargo.dev/aggregate-to-${feature}`, `rbac.kyverno.io/aggregate-to-${controller}`].map((label) => ({
      matchLabels: { [label]: 'true' },
    }));
  });
}

/** Cluster-wide permissions, by enabled features. */
export function clusterRules(installation: string, features: readonly FeatureName[]): readonly PolicyRule[] {
  return [
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ...(features.some((feature) => policyFeatures.has(feature)) ? policyRules : []),
    ...(features.includes('detect') || features.includes('create') ? automationRules : []),
    ...(features.includes('detect') ? detectionRules : []),
    ...(features.includes('create') ? creationRules : []),
    ...(features.includes('admission') ? statusRules : []),
    ...(features.includes('mirror') ? mirrorRules : []),
    ...(features.includes('generate') ? generateRules : []),
    ...(features.includes('report') ? reportRules : []),
    ...(features.includes('sync') || features.includes('jobs') ? syncRules : []),
    ...webhookRules(installation, features),
  ];
}

/**
 * Writes reports and reads what policies evaluate: all usual kinds except Secrets. Policies about other kinds need an
 * additional role.
 */
const reportRules: readonly PolicyRule[] = [
  {
    apiGroups: ['wgpolicyk8s.io'],
    resources: ['policyreports', 'clusterpolicyreports'],
    verbs: [...read, 'create', 'update', 'delete'],
  },
  {
    apiGroups: [''],
    resources: [
      'pods',
      'services',
      'serviceaccounts',
      'persistentvolumes',
      'persistentvolumeclaims',
      'replicationcontrollers',
      'limitranges',
      'resourcequotas',
      'nodes',
      'podtemplates',
    ],
    verbs: ['list', 'watch'],
  },
  {
    apiGroups: [
      'apps',
      'batch',
      'autoscaling',
      'policy',
      'networking.k8s.io',
      'storage.k8s.io',
      'rbac.authorization.k8s.io',
    ],
    resources: ['*'],
    verbs: ['list', 'watch'],
  },
];

/** To watch policies, and for the most usual look-ups of rules. */
const policyRules: readonly PolicyRule[] = [
  { apiGroups: ['kyverno.io'], resources: ['clusterpolicies', 'policies', 'policyexceptions'], verbs: read },
  { apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: read },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['rolebindings', 'clusterrolebindings'],
    verbs: ['list', 'watch'],
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: read },
  // To see whether Kyverno itself runs in this cluster.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [configurationTypes.mutating.resource, configurationTypes.validating.resource],
    verbs: ['list'],
  },
];

/** To watch pods. The administrator grants generated kinds and other triggers by aggregation. */
const generateRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['pods'], verbs: read }];

/** A sync writes Kyverno policies of every kind. */
const syncRules: readonly PolicyRule[] = [
  {
    apiGroups: ['kyverno.io'],
    resources: ['clusterpolicies', 'policies', 'cleanuppolicies', 'clustercleanuppolicies'],
    verbs: ['get', 'list', 'create', 'update', 'delete'],
  },
  {
    apiGroups: ['policies.kyverno.io'],
    resources: ['validating', 'mutating', 'generating', 'deleting', 'imagevalidating'].flatMap((kind) => [
      `${kind}policies`,
      `namespaced${kind}policies`,
    ]),
    verbs: ['get', 'list', 'create', 'update', 'delete'],
  },
];

const statusRules: readonly PolicyRule[] = [
  { apiGroups: ['kyverno.io'], resources: ['clusterpolicies/status', 'policies/status'], verbs: ['update'] },
];

/**
 * To watch workloads and rewrite their images, to write MirroredImages, and to see which pull secrets a ServiceAccount
 * names. The Secrets themselves are granted per namespace (`pullSecretRules`).
 */
const mirrorRules: readonly PolicyRule[] = [
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: [...read, 'create', 'patch', 'delete'] },
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
  { apiGroups: [''], resources: ['namespaces', 'pods'], verbs: read },
  { apiGroups: ['apps'], resources: ['deployments', 'daemonsets', 'statefulsets'], verbs: [...read, 'patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: [...read, 'patch'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: read },
];

function webhookRules(installation: string, features: readonly FeatureName[]): readonly PolicyRule[] {
  const hasAdmission = features.includes('admission');
  const names = {
    mutating: [...(hasAdmission ? ['policies-mutate'] : []), ...(features.includes('mirror') ? ['rewrite'] : [])],
    validating: [
      ...(hasAdmission ? ['policies-validate', 'policy-check'] : []),
      ...(hasAdmission && features.includes('generate') ? ['policies-generate'] : []),
    ],
  };
  return (['mutating', 'validating'] as const).flatMap((type) => {
    const { group, resource } = configurationTypes[type];
    const rule = { apiGroups: [group], resources: [resource] };
    const resourceNames = names[type].map((name) => configurationName(installation, { name }));
    return resourceNames.length === 0
      ? []
      : [
          { ...rule, verbs: ['create', 'list', 'watch'] },
          { ...rule, resourceNames, verbs: ['get', 'update', 'delete'] },
        ];
  });
}

const automation = { apiGroups: ['automation.gitops.io'] };

/** Without the Secrets that policies and templates name: each namespace grants its own (docs/detection.md). */
const automationRules: readonly PolicyRule[] = [
  { ...automation, resources: ['imageresourcepolicies', 'resourcetemplates'], verbs: read },
  { ...automation, resources: ['imagedetecteds'], verbs: [...read, 'create', 'delete'] },
  {
    ...automation,
    resources: ['imageresourcepolicies/status', 'resourcetemplates/status', 'imagedetecteds/status'],
    verbs: ['patch'],
  },
];

/** Which repositories hold copies: copies must not be detected. */
const detectionRules: readonly PolicyRule[] = [
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: read },
];

/** Which workload runs which image. A dry run of manifests needs more, which the administrator grants. */
const creationRules: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], verbs: read },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: read },
  { apiGroups: [''], resources: ['pods'], verbs: read },
];
