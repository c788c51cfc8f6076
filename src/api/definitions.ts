import { celExceptionSchema } from './cel-exception-schema.ts';
import { deletingPolicySchema } from './deleting-policy-schema.ts';
import { imageDetectedSchema, imageResourcePolicySchema, resourceTemplateSchema } from './detection-schema.ts';
import { exceptionSchema } from './exception-schema.ts';
import { generatingPolicySchema } from './generating-policy-schema.ts';
import { globalContextSchema } from './global-context-schema.ts';
import { mirroredImageSchema } from './mirrored-image-schema.ts';
import { mutatingPolicySchema } from './mutating-policy-schema.ts';
import { policySchema } from './policy-schema.ts';
import { reportSchema } from './report-schema.ts';
import type { Schema } from './schema.ts';
import { validatingPolicySchema } from './validating-policy-schema.ts';

interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** 1 shows the column only with `-o wide`. */
  readonly priority?: 1;
}

/** One custom resource: its names, and the schema of each version. All versions share schema and columns. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly categories: readonly string[];
  /** The first is the storage version. */
  readonly versions: readonly string[];
  readonly description: string;
  readonly schema: Schema;
  readonly hasStatus: boolean;
  readonly columns: readonly Column[];
}

const age: Column = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const readyCondition = '.status.conditions[?(@.type == "Ready")]';
const ruleCount = (name: string, field: string): Column => ({
  name,
  type: 'integer',
  jsonPath: `.status.rulecount.${field}`,
  priority: 1,
});

const policy = {
  group: 'kyverno.io',
  categories: ['kyverno'],
  versions: ['v1', 'v2beta1'],
  schema: policySchema,
  hasStatus: true,
  columns: [
    { name: 'ADMISSION', type: 'boolean', jsonPath: '.spec.admission' },
    { name: 'BACKGROUND', type: 'boolean', jsonPath: '.spec.background' },
    { name: 'READY', type: 'string', jsonPath: `${readyCondition}.status` },
    // Set, to False, only while something prevents a valid policy from working.
    { name: 'WORKING', type: 'string', jsonPath: '.status.conditions[?(@.type == "Working")].status' },
    age,
    { name: 'FAILURE POLICY', type: 'string', jsonPath: '.spec.failurePolicy', priority: 1 },
    ruleCount('VALIDATE', 'validate'),
    ruleCount('MUTATE', 'mutate'),
    ruleCount('GENERATE', 'generate'),
    ruleCount('VERIFY IMAGES', 'verifyimages'),
    { name: 'MESSAGE', type: 'string', jsonPath: `${readyCondition}.message` },
  ],
} as const;

const summary = (name: string): Column => ({
  name: name.toUpperCase(),
  type: 'integer',
  jsonPath: `.summary.${name}`,
});

const report = {
  group: 'wgpolicyk8s.io',
  categories: ['all'],
  versions: ['v1alpha2'],
  schema: reportSchema,
  hasStatus: false,
  columns: [summary('pass'), summary('fail'), summary('warn'), summary('error'), summary('skip'), age],
} as const;

const ready: Column = { name: 'READY', type: 'string', jsonPath: `${readyCondition}.status` };
const message: Column = {
  name: 'MESSAGE',
  type: 'string',
  jsonPath: `${readyCondition}.message`,
  priority: 1,
};

const automation = {
  group: 'automation.gitops.io',
  categories: ['images'],
  versions: ['v1beta1'],
  scope: 'Namespaced',
  hasStatus: true,
} as const;

const celPolicy = {
  group: 'policies.kyverno.io',
  categories: ['kyverno'],
  // All versions have one shape.
  versions: ['v1', 'v1beta1', 'v1alpha1'],
  hasStatus: true,
  columns: [
    { name: 'READY', type: 'boolean', jsonPath: '.status.conditionStatus.ready' },
    age,
    { name: 'FAILURE POLICY', type: 'string', jsonPath: '.spec.failurePolicy', priority: 1 },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.conditionStatus.message', priority: 1 },
  ],
} as const;

const deletingPolicy = {
  ...celPolicy,
  schema: deletingPolicySchema,
  columns: [
    { name: 'SCHEDULE', type: 'string', jsonPath: '.spec.schedule' },
    { name: 'READY', type: 'boolean', jsonPath: '.status.conditionStatus.ready' },
    { name: 'LAST RUN', type: 'date', jsonPath: '.status.lastExecutionTime' },
    age,
    { name: 'NEXT RUN', type: 'string', jsonPath: '.status.nextExecutionTime', priority: 1 },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.conditionStatus.message', priority: 1 },
  ],
} as const;

export const definitions: readonly Definition[] = [
  {
    ...policy,
    kind: 'ClusterPolicy',
    plural: 'clusterpolicies',
    shortNames: ['cpol'],
    scope: 'Cluster',
    description: 'Rules for objects of the whole cluster: what they must look like, what is changed or made for them.',
  },
  {
    ...policy,
    kind: 'Policy',
    plural: 'policies',
    shortNames: ['pol'],
    scope: 'Namespaced',
    description: 'Rules for objects of one namespace: what they must look like, what is changed or made for them.',
  },
  {
    group: 'kyverno.io',
    kind: 'PolicyException',
    plural: 'policyexceptions',
    shortNames: ['polex'],
    scope: 'Namespaced',
    categories: ['kyverno'],
    versions: ['v2', 'v2beta1'],
    description: 'Excuses objects from rules of policies.',
    schema: exceptionSchema,
    hasStatus: false,
    columns: [age],
  },
  {
    group: 'kyverno.io',
    kind: 'GlobalContextEntry',
    plural: 'globalcontextentries',
    shortNames: ['gctxentry'],
    scope: 'Cluster',
    categories: ['kyverno'],
    versions: ['v2', 'v2beta1', 'v2alpha1'],
    description: 'Data that policies read without asking for it each time: objects of a kind, or the answer to a call.',
    schema: globalContextSchema,
    hasStatus: true,
    columns: [
      { name: 'READY', type: 'string', jsonPath: '.status.conditions[?(@.type == "Ready")].status' },
      { name: 'REFRESH INTERVAL', type: 'string', jsonPath: '.spec.apiCall.refreshInterval' },
      { name: 'LAST REFRESH', type: 'date', jsonPath: '.status.lastRefreshTime' },
      age,
    ],
  },
  {
    ...celPolicy,
    kind: 'ValidatingPolicy',
    plural: 'validatingpolicies',
    shortNames: ['vpol'],
    scope: 'Cluster',
    description: 'CEL expressions that must be true of objects of the whole cluster.',
    schema: validatingPolicySchema,
  },
  {
    ...celPolicy,
    kind: 'NamespacedValidatingPolicy',
    plural: 'namespacedvalidatingpolicies',
    shortNames: ['nvpol'],
    scope: 'Namespaced',
    description: 'CEL expressions that must be true of objects of one namespace.',
    schema: validatingPolicySchema,
  },
  {
    ...celPolicy,
    kind: 'MutatingPolicy',
    plural: 'mutatingpolicies',
    shortNames: ['mpol'],
    scope: 'Cluster',
    description: 'CEL expressions that change objects of the whole cluster.',
    schema: mutatingPolicySchema,
  },
  {
    ...celPolicy,
    kind: 'NamespacedMutatingPolicy',
    plural: 'namespacedmutatingpolicies',
    shortNames: ['nmpol'],
    scope: 'Namespaced',
    description: 'CEL expressions that change objects of one namespace.',
    schema: mutatingPolicySchema,
  },
  {
    ...celPolicy,
    kind: 'GeneratingPolicy',
    plural: 'generatingpolicies',
    shortNames: ['gpol'],
    scope: 'Cluster',
    description: 'CEL expressions that generate objects for objects of the whole cluster.',
    schema: generatingPolicySchema,
  },
  {
    ...celPolicy,
    kind: 'NamespacedGeneratingPolicy',
    plural: 'namespacedgeneratingpolicies',
    shortNames: ['ngpol'],
    scope: 'Namespaced',
    description: 'CEL expressions that generate objects in one namespace, for objects of it.',
    schema: generatingPolicySchema,
  },
  {
    ...deletingPolicy,
    kind: 'DeletingPolicy',
    plural: 'deletingpolicies',
    shortNames: ['dpol'],
    scope: 'Cluster',
    description:
      'Objects of the whole cluster that are deleted at certain times, where CEL expressions are true of them.',
  },
  {
    ...deletingPolicy,
    kind: 'NamespacedDeletingPolicy',
    plural: 'namespaceddeletingpolicies',
    shortNames: ['ndpol'],
    scope: 'Namespaced',
    description: 'Objects of one namespace that are deleted at certain times, where CEL expressions are true of them.',
  },
  {
    group: 'policies.kyverno.io',
    kind: 'PolicyException',
    plural: 'policyexceptions',
    shortNames: ['celpolex'],
    scope: 'Namespaced',
    categories: ['kyverno'],
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    description: 'Excuses objects from policies of CEL expressions.',
    schema: celExceptionSchema,
    hasStatus: false,
    columns: [{ name: 'EXPIRES', type: 'date', jsonPath: '.spec.expiresAt' }, age],
  },
  {
    ...report,
    kind: 'PolicyReport',
    plural: 'policyreports',
    shortNames: ['polr'],
    scope: 'Namespaced',
    description: 'What policies say about objects of one namespace.',
  },
  {
    ...report,
    kind: 'ClusterPolicyReport',
    plural: 'clusterpolicyreports',
    shortNames: ['cpolr'],
    scope: 'Cluster',
    description: 'What policies say about objects that belong to no namespace.',
  },
  {
    ...automation,
    kind: 'ImageResourcePolicy',
    plural: 'imageresourcepolicies',
    shortNames: ['irp'],
    description: 'Which images of a registry are looked at, and which of their tags is wanted.',
    schema: imageResourcePolicySchema,
    columns: [
      ready,
      { name: 'TEMPLATE', type: 'string', jsonPath: '.spec.templateRef.name' },
      { name: 'REPOSITORIES', type: 'integer', jsonPath: '.status.repositories' },
      { name: 'DETECTED', type: 'integer', jsonPath: '.status.detected' },
      { name: 'LAST SCAN', type: 'date', jsonPath: '.status.lastScanTime' },
      age,
      { name: 'SUSPENDED', type: 'boolean', jsonPath: '.spec.suspend', priority: 1 },
      message,
    ],
  },
  {
    ...automation,
    kind: 'ResourceTemplate',
    plural: 'resourcetemplates',
    shortNames: ['rt'],
    description: 'The manifests that are made for a detected image, and the Git repository they are committed to.',
    schema: resourceTemplateSchema,
    columns: [
      { name: 'REPOSITORY', type: 'string', jsonPath: '.spec.gitRepository.url' },
      { name: 'BRANCH', type: 'string', jsonPath: '.spec.gitRepository.branch' },
      { name: 'PATH', type: 'string', jsonPath: '.spec.gitRepository.path' },
      age,
    ],
  },
  {
    ...automation,
    kind: 'ImageDetected',
    plural: 'imagedetecteds',
    shortNames: ['imgd'],
    description: 'One image that was detected, and what became of it.',
    schema: imageDetectedSchema,
    columns: [
      { name: 'IMAGE', type: 'string', jsonPath: '.spec.imageName' },
      { name: 'TAG', type: 'string', jsonPath: '.spec.imageTag' },
      { name: 'PHASE', type: 'string', jsonPath: '.status.phase' },
      { name: 'CREATED', type: 'boolean', jsonPath: '.status.resourceCreated' },
      { name: 'COMMIT', type: 'string', jsonPath: '.status.gitCommitSHA', priority: 1 },
      { name: 'PREFIX', type: 'string', jsonPath: '.spec.tagPrefix', priority: 1 },
      { name: 'POLICY', type: 'string', jsonPath: '.spec.sourcePolicy.name', priority: 1 },
      age,
      message,
    ],
  },
  {
    group: 'supercargo.dev',
    kind: 'MirroredImage',
    plural: 'mirroredimages',
    shortNames: ['mimg'],
    scope: 'Cluster',
    categories: ['images'],
    versions: ['v1alpha1'],
    description: 'An image and its copy in the backup registry.',
    schema: mirroredImageSchema,
    hasStatus: true,
    columns: [
      { name: 'SOURCE', type: 'string', jsonPath: '.spec.source' },
      { name: 'PHASE', type: 'string', jsonPath: '.status.phase' },
      { name: 'COPY', type: 'string', jsonPath: '.spec.copy', priority: 1 },
      { name: 'DIGEST', type: 'string', jsonPath: '.status.digest', priority: 1 },
      age,
      { name: 'MESSAGE', type: 'string', jsonPath: '.status.message', priority: 1 },
    ],
  },
];
