import { celPolicyTypes, deletingPolicyTypes } from '../runtime/index.ts';
import { configurationName, configurationTypes, probeRegistration } from '../webhook/index.ts';
import {
  and,
  constant,
  each,
  givenSecret,
  type InstallScope,
  type InstallTemplate,
  installation,
  isInstalled,
  isItem,
  item,
  not,
  or,
  partFeatures,
  runs,
  runsAll,
  runsWithout,
  scalar,
  text,
  value,
  when,
} from './chart/scope.ts';
import { evaluate, type Node } from './chart/template.ts';
import { type FeatureName, policyFeatures } from './config.ts';
import { availableFeatures } from './features/index.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

type Names = readonly (string | Node<InstallScope>)[];

/** A rule in whose names may be those of the installation. */
interface RuleTemplate {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: Names;
}

const given = (condition: ReturnType<typeof runs>, rules: readonly RuleTemplate[]) =>
  when(condition, rules as unknown as InstallTemplate);

const watch = ['list', 'watch'];
const read = ['get', ...watch];
/** The page is served by every replica. */
const leadingFeatures = availableFeatures.filter((name) => name !== 'dashboard');
const leads = isItem(...leadingFeatures);
/** They say in events what they did. */
const tellingFeatures = leadingFeatures.filter((name) => name !== 'sync' && name !== 'jobs');
/** The features with webhooks. */
export const webhookFeatures: readonly FeatureName[] = ['admission', 'mirror'];

const secrets = { apiGroups: [''], resources: ['secrets'] };
const usesCertManager = value('webhook.certManager.enabled');

/**
 * Permissions in our own namespace. Secrets cannot be created: with that permission one can get the token of any
 * ServiceAccount of the namespace. The Secret of the webhook's certificate is part of the installation.
 */
export const namespaceRuleTemplates = (webhookSecret: Node<InstallScope>): InstallTemplate => [
  given(runs(...leadingFeatures), leaseRules),
  given(and(runs(...webhookFeatures), not(or(givenSecret, usesCertManager))), [
    { ...secrets, resourceNames: [webhookSecret], verbs: [...read, 'update'] },
  ]),
  // Somebody else writes these.
  given(and(runs(...webhookFeatures), usesCertManager), [{ ...secrets, resourceNames: [webhookSecret], verbs: watch }]),
  given(and(runs(...webhookFeatures), givenSecret), [
    { ...secrets, resourceNames: [scalar(givenSecret)], verbs: watch },
  ]),
  given(runs('generate'), checkpointRules),
  given(runsAll('admission', 'report'), outboxRules),
  given(runs('sync', 'jobs'), syncLockRules),
  given(runs('sync'), syncStatusRules),
  given(runs('dashboard'), dashboardNamespaceRules),
  given(runs('jobs'), jobsRuleTemplates),
];

/**
 * The checkpoint, run-once records, and the outboxes of replicas, whose names are not known in advance. They are read
 * with the right to look up ConfigMaps. The outbox of a replica that is gone is deleted.
 */
const checkpointRules: readonly RuleTemplate[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'patch', 'delete'] },
];
/** Likewise the outboxes of results for reports: admission fills them on every replica. */
const outboxRules: readonly RuleTemplate[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'update', 'delete'] },
];

const leaseRules: readonly RuleTemplate[] = [
  // `create` cannot be restricted by name, so only read and update are restricted to our names.
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [each(partFeatures, when(leads, text`${installation}-${item}`))],
    // A single object is read by a list of one, which carries the server's time.
    verbs: ['list', 'update'],
  },
];

/** The lock that a sync shares with the CronJob of manifests/policy-sync. */
const syncLockRules: readonly RuleTemplate[] = [
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: ['kyverno-policy-sync-lock'],
    verbs: ['list', 'update'],
  },
];

/** The last runs, for people and the dashboard. */
const syncStatusRules: readonly RuleTemplate[] = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [text`${installation}-sync-status`],
    verbs: ['get', 'patch'],
  },
];

/** Who leads, and the runs of the sync. */
const dashboardNamespaceRules: readonly RuleTemplate[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [text`${installation}-sync-status`],
    verbs: watch,
  },
];

/** The job runner creates Jobs from CronJobs of its own namespace, and stores in one ConfigMap what a restart needs. */
const jobsRuleTemplates: readonly RuleTemplate[] = [
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: ['get'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [text`${installation}-on-demand-jobs`],
    verbs: ['get', 'patch'],
  },
];

/** The rules of the ClusterRole `<installation>-pull-secrets`. It is bound per namespace, never cluster-wide. */
export const pullSecretRules: readonly PolicyRule[] = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

/**
 * The labels with which an administrator adds permissions for the kinds that policies generate, look up, report on or
 * delete.
 */
const kyvernoControllers: Partial<Record<FeatureName, string>> = {
  admission: 'admission-controller',
  generate: 'background-controller',
  report: 'reports-controller',
  cleanup: 'cleanup-controller',
};

/** Selects the ClusterRoles whose rules are aggregated for the policy features. */
export const aggregationSelectors: InstallTemplate = Object.entries(kyvernoControllers).map(([feature, controller]) =>
  when(
    runs(feature as FeatureName),
    [`supercargo.dev/aggregate-to-${feature}`, `rbac.kyverno.io/aggregate-to-${controller}`].map((label) => ({
      matchLabels: { [label]: 'true' },
    })),
  ),
);
export const aggregatingFeatures = Object.keys(kyvernoControllers) as readonly FeatureName[];

/**
 * Writes reports and reads what policies evaluate: all usual kinds except Secrets. Policies about other kinds need an
 * additional role.
 */
const reportRules: readonly RuleTemplate[] = [
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
    verbs: watch,
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
    verbs: watch,
  },
];

const celPolicies = celPolicyTypes.map(({ resource }) => resource);
const deletingPolicies = deletingPolicyTypes.map(({ resource }) => resource);
const statusOf = (resources: readonly string[]) => resources.map((name) => `${name}/status`);

/** To watch policies, and for the most usual look-ups of rules. */
const policyRules: readonly RuleTemplate[] = [
  {
    apiGroups: ['kyverno.io'],
    resources: ['clusterpolicies', 'policies', 'policyexceptions', 'globalcontextentries'],
    verbs: watch,
  },
  { apiGroups: ['policies.kyverno.io'], resources: [...celPolicies, 'policyexceptions'], verbs: watch },
  { apiGroups: [''], resources: ['namespaces'], verbs: watch },
  { apiGroups: [''], resources: ['configmaps'], verbs: read },
  // The schemas of custom kinds, and to see whether Kyverno itself runs in this cluster.
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get'] },
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: [configurationTypes.mutating.resource, configurationTypes.validating.resource],
    verbs: ['list'],
  },
];

/** The labels of a namespace that is newer than the watch. */
const newNamespaceRules: readonly RuleTemplate[] = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
/** Policies may name kinds that are defined later. */
const newKindRules: readonly RuleTemplate[] = [
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: watch },
];
/** The roles of the users of requests. */
const roleRules: readonly RuleTemplate[] = [
  { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings', 'clusterrolebindings'], verbs: watch },
];

/** To watch pods. The administrator grants generated kinds and other triggers by aggregation. */
const generateRules: readonly RuleTemplate[] = [{ apiGroups: [''], resources: ['pods'], verbs: read }];

/** A sync writes Kyverno policies of every kind. */
const syncRules: readonly RuleTemplate[] = [
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

/** To show what users may list themselves, which the API server is asked for each of them. */
const dashboardRules: readonly RuleTemplate[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: [''], resources: ['pods', 'events'], verbs: watch },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets'], verbs: watch },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: watch },
  {
    apiGroups: ['wgpolicyk8s.io'],
    resources: ['policyreports', 'clusterpolicyreports'],
    verbs: watch,
  },
  {
    apiGroups: ['kyverno.io'],
    resources: ['clusterpolicies', 'policies', 'policyexceptions'],
    verbs: watch,
  },
  { apiGroups: ['policies.kyverno.io'], resources: [...celPolicies, 'policyexceptions'], verbs: watch },
  // To explain a result, with the labels of the namespace.
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list'] },
  {
    apiGroups: ['automation.gitops.io'],
    resources: ['imageresourcepolicies', 'resourcetemplates', 'imagedetecteds'],
    verbs: watch,
  },
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: watch },
  { apiGroups: ['aquasecurity.github.io'], resources: ['vulnerabilityreports'], verbs: watch },
  // The certificate authority of our webhooks, to show when it expires.
  {
    apiGroups: [configurationTypes.validating.group],
    resources: [configurationTypes.validating.resource],
    verbs: ['list'],
  },
];

const statusRules: readonly RuleTemplate[] = [
  {
    apiGroups: ['kyverno.io'],
    resources: ['clusterpolicies/status', 'policies/status', 'globalcontextentries/status'],
    verbs: ['update'],
  },
  {
    apiGroups: ['policies.kyverno.io'],
    resources: statusOf(celPolicies.filter((name) => !deletingPolicies.includes(name))),
    verbs: ['update'],
  },
];

/** To say when policies ran. The administrator grants the kinds that they delete by aggregation. */
const cleanupRules: readonly RuleTemplate[] = [
  { apiGroups: ['policies.kyverno.io'], resources: deletingPolicies, verbs: ['get'] },
  { apiGroups: ['policies.kyverno.io'], resources: statusOf(deletingPolicies), verbs: ['update'] },
];

/**
 * To watch workloads and rewrite their images, to write MirroredImages, and to see which pull secrets a ServiceAccount
 * names. The Secrets themselves are granted per namespace (`pullSecretRules`).
 */
const mirrorRules: readonly RuleTemplate[] = [
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: [...read, 'create', 'patch', 'delete'] },
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'] },
  { apiGroups: [''], resources: ['namespaces', 'pods'], verbs: read },
  { apiGroups: ['apps'], resources: ['deployments', 'daemonsets', 'statefulsets'], verbs: [...read, 'patch'] },
  { apiGroups: ['batch'], resources: ['cronjobs'], verbs: [...read, 'patch'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: read },
];

const automation = { apiGroups: ['automation.gitops.io'] };

/** Without the Secrets that policies and templates name: each namespace grants its own (docs/detection.md). */
const automationRules: readonly RuleTemplate[] = [
  { ...automation, resources: ['imageresourcepolicies', 'resourcetemplates'], verbs: watch },
  // Expired detections are deleted by creation, and where it does not run by detection.
  { ...automation, resources: ['imagedetecteds'], verbs: [...read, 'delete'] },
];

/** Which repositories hold copies: copies must not be detected. */
const detectionRules: readonly RuleTemplate[] = [
  { ...automation, resources: ['imagedetecteds'], verbs: ['create'] },
  { ...automation, resources: ['imageresourcepolicies/status'], verbs: ['patch'] },
  { apiGroups: ['supercargo.dev'], resources: ['mirroredimages'], verbs: watch },
];

/** Which workload runs which image. A dry run of manifests needs more, which the administrator grants. */
const creationRules: readonly RuleTemplate[] = [
  { ...automation, resources: ['resourcetemplates/status', 'imagedetecteds/status'], verbs: ['patch'] },
  { apiGroups: ['apps'], resources: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], verbs: watch },
  { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: watch },
  { apiGroups: [''], resources: ['pods'], verbs: watch },
];

/** The webhook configurations of the features, by what a part runs. */
const configurations = {
  mutating: {
    'policies-mutate': runs('admission'),
    rewrite: runs('mirror'),
    [probeRegistration('admission').name]: runs('admission'),
    // One server of both has one probe.
    [probeRegistration('mirror').name]: runsWithout('admission', 'mirror'),
  },
  validating: {
    'policies-validate': runs('admission'),
    'policy-check': runs('admission'),
    'policies-generate': runsAll('admission', 'generate'),
  },
};

const registeredName = (name: string) => text`${installation}${constant(configurationName('', { name }))}`;

/** The names of all webhook configurations that an installation can register. */
export const allConfigurationNames: Names = Object.values(configurations).flatMap((one) =>
  Object.keys(one).map(registeredName),
);

const webhookRules = (type: 'mutating' | 'validating'): readonly RuleTemplate[] => {
  const { group, resource } = configurationTypes[type];
  const rule = { apiGroups: [group], resources: [resource] };
  const resourceNames = Object.entries(configurations[type]).map(([name, condition]) =>
    when(condition, registeredName(name)),
  );
  return [
    { ...rule, verbs: ['create', 'list', 'watch'] },
    { ...rule, resourceNames, verbs: ['get', 'update', 'delete'] },
  ];
};

/** Cluster-wide permissions, by enabled features. */
export const clusterRuleTemplates: InstallTemplate = [
  given(runs(...tellingFeatures), [{ apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] }]),
  given(runs(...policyFeatures), policyRules),
  given(runs('admission', 'generate', 'cleanup'), newNamespaceRules),
  given(runs('admission', 'report'), newKindRules),
  given(runs('admission'), roleRules),
  given(runs('detect', 'create'), automationRules),
  given(runs('detect'), detectionRules),
  given(runs('create'), creationRules),
  given(runs('admission'), statusRules),
  given(runs('mirror'), mirrorRules),
  given(runs('generate'), generateRules),
  given(runs('report'), reportRules),
  given(runs('cleanup'), cleanupRules),
  given(runs('sync', 'jobs'), syncRules),
  given(runs('dashboard'), dashboardRules),
];

/**
 * A part with fewer features than before removes what its pods have registered: configurations that no part of the
 * installation registers any more, so that no part may remove those of another.
 */
function strayRules(condition: ReturnType<typeof runs>, type: 'mutating' | 'validating', names: readonly string[]) {
  const { group, resource } = configurationTypes[type];
  const rule = { apiGroups: [group], resources: [resource] };
  return given(condition, [{ ...rule, resourceNames: names.map(registeredName), verbs: ['delete'] }]);
}
const [admissionProbe, mirrorProbe] = [probeRegistration('admission').name, probeRegistration('mirror').name];
const mirrorAlone = and(runs('mirror'), not(isInstalled('admission')));

/**
 * To register webhooks. A role of its own: when webhooks are removed, replicas that still answer lose these rights and
 * keep all others.
 */
export const webhookRuleTemplates: InstallTemplate = [
  given(runs('admission', 'mirror'), webhookRules('mutating')),
  given(runs('admission'), webhookRules('validating')),
  given(mirrorAlone, [
    {
      apiGroups: [configurationTypes.validating.group],
      resources: [configurationTypes.validating.resource],
      verbs: ['list'],
    },
  ]),
  strayRules(mirrorAlone, 'validating', ['policies-validate', 'policy-check', 'policies-generate']),
  strayRules(mirrorAlone, 'mutating', ['policies-mutate', admissionProbe]),
  strayRules(and(runs('admission'), not(isInstalled('mirror'))), 'mutating', ['rewrite', mirrorProbe]),
  strayRules(runsAll('admission', 'mirror'), 'mutating', [mirrorProbe]),
  strayRules(runsWithout('generate', 'admission'), 'validating', ['policies-generate']),
];

interface RulesScope {
  readonly name: string;
  readonly features: readonly FeatureName[];
  /** What all parts of the installation run; by default the same. */
  readonly all?: readonly FeatureName[];
  /** The Secret that the settings name for the certificate of the webhooks. */
  readonly givenSecret?: string | undefined;
}

/** The rules of a part with these features. */
const rulesOf = (rules: InstallTemplate, { name, features, all = features, givenSecret: secretName }: RulesScope) =>
  evaluate(rules, {
    installation: name,
    part: { name: 'any', features: [...features] },
    parts: [{ name: 'all', features: [...all] }],
    values: { config: { webhook: { tls: { secretName } } } },
  } as unknown as InstallScope) as readonly PolicyRule[];

/** Of a part, in an installation whose parts together run all of these features. */
export const clusterRules = (name: string, features: readonly FeatureName[], all = features) => [
  ...rulesOf(clusterRuleTemplates, { name, features, all }),
  ...rulesOf(webhookRuleTemplates, { name, features, all }),
];
export const namespaceRules = (
  name: string,
  features: readonly FeatureName[],
  {
    secret = `${name}-webhook`,
    givenSecret,
  }: { readonly secret?: string; readonly givenSecret?: string | undefined } = {},
) => rulesOf(namespaceRuleTemplates(text`${constant(secret)}`), { name, features, givenSecret });
export const jobsRules = (name: string) =>
  rulesOf(jobsRuleTemplates as unknown as InstallTemplate, { name, features: ['jobs'] });
