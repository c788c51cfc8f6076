import { configurationName, configurationTypes } from '../webhook/index.ts';
import { type FeatureName, policyFeatures } from './config.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const read = ['get', 'list', 'watch'];
/** Those that the API server asks about requests. */
const webhookFeatures: ReadonlySet<FeatureName> = new Set(['admission', 'mirror']);

export const hasWebhooks = (features: readonly FeatureName[]) => features.some((name) => webhookFeatures.has(name));

/**
 * What is needed in our own namespace. Secrets cannot be created: whoever creates one can have it filled with the token of
 * any ServiceAccount of the namespace. The Secret of the webhook's certificate comes with the installation.
 */
export function namespaceRules(
  installation: string,
  features: readonly FeatureName[],
  webhookSecret = `${installation}-webhook`,
): readonly PolicyRule[] {
  return [
    // Nothing can be created by name, so only reading and changing is bound to ours.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: features.map((feature) => `${installation}-${feature}`),
      // One is read by a list of one, which carries the server's time.
      verbs: ['get', 'list', 'update'],
    },
    ...(hasWebhooks(features)
      ? [{ apiGroups: [''], resources: ['secrets'], resourceNames: [webhookSecret], verbs: [...read, 'update'] }]
      : []),
    // The checkpoint, what was made once, and the outboxes of replicas, whose names nobody knows before.
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

/** The job runner makes Jobs from CronJobs of its own namespace, and notes in one ConfigMap what a restart must know. */
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

/** What the ClusterRole `<installation>-pull-secrets` allows. It is bound namespace by namespace, never in the whole cluster. */
export const pullSecretRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

/** The labels by which an administrator adds rights for the kinds that policies generate, look up or report on. */
const kyvernoControllers: Partial<Record<FeatureName, string>> = {
  admission: 'admission-controller',
  generate: 'background-controller',
  report: 'reports-controller',
};

/** Selects the ClusterRoles whose rules are added to those of the policy features; empty without such a feature. */
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

/** What is needed in the whole cluster, by the features that are switched on. */
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
 * Reports are written, and what policies judge is read: all of the usual kinds but Secrets. Policies about other kinds
 * need a role of their own.
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

/** To follow policies, and to answer what their rules look up most. */
const policyRules: readonly PolicyRule[] = [
  { apiGroups: ['kyverno.io'], resources: ['clusterpolicies', 'policies', 'policyexceptions'], verbs: read },
  { apiGroups: [''], resources: ['namespaces', 'configmaps'], verbs: read },
  {
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['rolebindings', 'clusterrolebindings'],
    verbs: ['list', 'watch'],
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: read },
  // To see whether Kyverno itself looks after this cluster's policies.
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [configurationTypes.mutating.resource, configurationTypes.validating.resource],
    verbs: ['list'],
  },
];

/** To follow pods. What a policy generates, and other triggers, the administrator allows by aggregation. */
const generateRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['pods'], verbs: read }];

/** A sync writes policies of Kyverno, in every form there is. */
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
 * To follow workloads and put copies in their place, to keep the list of copies, and to see which pull secrets a
 * ServiceAccount names. The Secrets themselves are granted per namespace (`pullSecretRules`).
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

/** The Secrets that policies and templates name are not among them: each namespace grants its own (docs/detection.md). */
const automationRules: readonly PolicyRule[] = [
  { ...automation, resources: ['imageresourcepolicies', 'resourcetemplates'], verbs: read },
  { ...automation, resources: ['imagedetecteds'], verbs: [...read, 'create', 'delete'] },
  {
    ...automation,
    resources: ['imageresourcepolicies/status', 'resourcetemplates/status', 'imagedetecteds/status'],
    verbs: ['patch'],
  },
];

/** Which repositories hold copies: whoever clones images must not detect the clones. */
const detectionRules: readonly PolicyRule[] = [
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: read },
];

/** Who runs which image. A dry run of manifests needs more, which is granted by whoever wants it. */
const creationRules: readonly PolicyRule[] = [
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], verbs: read },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: read },
  { apiGroups: [''], resources: ['pods'], verbs: read },
];
