import { customResourceDefinitions } from '../../../src/api/index.ts';
import { renderYaml } from '../../../src/base/index.ts';

/** The policy kinds of Kyverno. Those that we do not ship are as small as they can be. */
const shipped = [
  { group: 'kyverno.io', version: 'v1', kind: 'ClusterPolicy', plural: 'clusterpolicies', scope: 'Cluster' },
  { group: 'kyverno.io', version: 'v1', kind: 'Policy', plural: 'policies', scope: 'Namespaced' },
];
const small = [
  { group: 'kyverno.io', version: 'v2', kind: 'CleanupPolicy', plural: 'cleanuppolicies', scope: 'Namespaced' },
  {
    group: 'kyverno.io',
    version: 'v2',
    kind: 'ClusterCleanupPolicy',
    plural: 'clustercleanuppolicies',
    scope: 'Cluster',
  },
  ...['Validating', 'Mutating', 'Generating', 'Deleting', 'ImageValidating'].flatMap((name) => [
    {
      group: 'policies.kyverno.io',
      version: 'v1',
      kind: `${name}Policy`,
      plural: `${name.toLowerCase()}policies`,
      scope: 'Cluster',
    },
    {
      group: 'policies.kyverno.io',
      version: 'v1',
      kind: `Namespaced${name}Policy`,
      plural: `namespaced${name.toLowerCase()}policies`,
      scope: 'Namespaced',
    },
  ]),
];

const kinds = [...shipped, ...small];

const smallDefinitions = small.map(({ group, version, kind, plural, scope }) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
  spec: {
    group,
    scope,
    names: { kind, plural, singular: kind.toLowerCase() },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                'x-kubernetes-preserve-unknown-fields': true,
                properties: {
                  background: { type: 'boolean', default: true },
                  rules: {
                    type: 'array',
                    items: {
                      type: 'object',
                      'x-kubernetes-preserve-unknown-fields': true,
                      properties: { skipBackgroundRequests: { type: 'boolean', default: true } },
                    },
                  },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
}));

export const definitions = [
  ...customResourceDefinitions('supercargo').filter(({ metadata }) =>
    shipped.some(({ plural, group }) => metadata.name === `${plural}.${group}`),
  ),
  ...smallDefinitions,
];

/** One policy of every kind, with this text in it. */
export const ofEveryKind = (text: string) => [
  policy('one', text),
  policy('one', text, { namespace: 'team-a' }),
  ...small.map(({ group, version, kind, scope }) => ({
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: 'one', annotations: owned, ...(scope === 'Namespaced' ? { namespace: 'team-a' } : {}) },
    spec: { text },
  })),
];

export const collections = kinds.map(({ group, version, plural }) => `/apis/${group}/${version}/${plural}`);
export const clusterPolicies = '/apis/kyverno.io/v1/clusterpolicies';
export const namespacedPolicies = (namespace: string) => `/apis/kyverno.io/v1/namespaces/${namespace}/policies`;

export const owned = { 'insights.fairwinds.com/owned-by': 'Fairwinds Insights' };

export interface TestPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A policy that the engine accepts. */
export function policy(
  name: string,
  message = 'a label is missing',
  metadata: Partial<TestPolicy['metadata']> = {},
): TestPolicy {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: metadata.namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, annotations: owned, ...metadata },
    spec: {
      validationFailureAction: 'Audit',
      rules: [
        {
          name: 'check',
          match: { any: [{ resources: { kinds: ['Pod'] } }] },
          validate: { message, pattern: { metadata: { labels: { team: '?*' } } } },
        },
      ],
    },
  };
}

export const yamlOf = (...policies: readonly object[]): string =>
  policies.map((one) => `---\n${renderYaml(one)}`).join('');
