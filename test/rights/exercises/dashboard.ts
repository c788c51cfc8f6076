import { expect } from 'vitest';
import { celPolicyTypes } from '../../../src/runtime/index.ts';
import { eventually } from '../../support/wait.ts';
import type { Exercise } from '../exercise.ts';

const vulnerabilityReports = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'vulnerabilityreports.aquasecurity.github.io' },
  spec: {
    group: 'aquasecurity.github.io',
    scope: 'Namespaced',
    names: { kind: 'VulnerabilityReport', plural: 'vulnerabilityreports' },
    versions: [{ name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
};
const match = { any: [{ resources: { kinds: ['Pod'] } }] };
const pattern = { metadata: { labels: { team: '?*' } } };
const policies = [
  {
    path: '/apis/kyverno.io/v1/clusterpolicies',
    object: {
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: { name: 'labelled' },
      spec: { rules: [{ name: 'label', match, validate: { message: 'label', pattern } }] },
    },
  },
  {
    path: '/apis/policies.kyverno.io/v1/validatingpolicies',
    object: {
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ValidatingPolicy',
      metadata: { name: 'labelled' },
      spec: {
        validationActions: ['Audit'],
        matchConstraints,
        validations: [{ expression: 'has(object.metadata.labels)' }],
      },
    },
  },
];

/** A user with a token looks at everything, and asks for an explanation by a policy of each kind. */
export const dashboard: Exercise = {
  prepare: ({ create }) => create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', vulnerabilityReports),
  async run({ create, http, page }) {
    await create('/api/v1/namespaces', { metadata: { name: 'seen' } });
    await create('/api/v1/namespaces/seen/serviceaccounts', { metadata: { name: 'reader' } });
    await create('/api/v1/namespaces/seen/pods', {
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] },
    });
    const { body } = await http.post('/api/v1/namespaces/seen/serviceaccounts/reader/token', { spec: {} });
    const { token } = body['status'] as { readonly token: string };
    const get = async (path: string) =>
      (await fetch(`${page()}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    await eventually(async () => expect(await get('/api/images?q=registry.example')).toBe(200));
    expect(await get('/api/system')).toBe(200);
    for (const { path, object } of policies) await create(path, object);
    const names = [
      'none',
      'seen/none',
      ...celPolicyTypes.map(({ kind, namespaced }) => `${kind}/${namespaced ? 'seen/' : ''}none`),
    ];
    const explain = (policy: string, rule: string) => {
      const object = { apiVersion: 'v1', kind: 'Pod', namespace: 'seen', name: 'web' };
      return get(`/api/explain?${new URLSearchParams({ policy, rule, ...object })}`);
    };
    // A busy machine is told as 503.
    const answers = (policy: string, rule: string, status: number) =>
      eventually(async () => expect(await explain(policy, rule)).toBe(status));
    for (const name of names) await answers(name, 'none', 404);
    await answers('labelled', 'label', 200);
    await answers('ValidatingPolicy/labelled', '', 200);
  },
};
