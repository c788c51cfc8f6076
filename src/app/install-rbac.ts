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

/** What is needed in our own namespace. */
export function namespaceRules(installation: string, features: readonly FeatureName[]): readonly PolicyRule[] {
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
    ...(features.some((feature) => webhookFeatures.has(feature))
      ? [
          { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
          {
            apiGroups: [''],
            resources: ['secrets'],
            resourceNames: [`${installation}-webhook`],
            verbs: [...read, 'update'],
          },
        ]
      : []),
    // The checkpoint, what was made once, and the outboxes of replicas, whose names nobody knows before.
    ...(features.includes('generate') || features.includes('report')
      ? [{ apiGroups: [''], resources: ['configmaps'], verbs: [...read, 'create', 'update', 'patch', 'delete'] }]
      : []),
  ];
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

/** One Job per image, as shipped. Policies that follow or make other kinds need more, and say so. */
const generateRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: read },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'create'] },
];

const statusRules: readonly PolicyRule[] = [
  { apiGroups: ['kyverno.io'], resources: ['clusterpolicies/status', 'policies/status'], verbs: ['update'] },
];

/**
 * To follow workloads and put copies in their place, to keep the list of copies, and to read with which credentials an
 * image is pulled. Secrets are read one by one, as workloads and service accounts name them, and never listed.
 */
const mirrorRules: readonly PolicyRule[] = [
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: [...read, 'create', 'patch', 'delete'] },
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['secrets', 'serviceaccounts'], verbs: ['get'] },
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
