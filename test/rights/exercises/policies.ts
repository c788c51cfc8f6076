import type { JsonObject } from '../../../src/base/index.ts';
import { celPolicyTypes } from '../../../src/runtime/index.ts';
import type { Place } from '../exercise.ts';

export const kyverno = '/apis/kyverno.io/v1';
export const cel = '/apis/policies.kyverno.io/v1';
/** A ConfigMap that policies look up. */
const known = { name: 'known', namespace: 'known' };
const entry = { name: 'known-maps' };

/** What all look-ups find: a ConfigMap by its name, and a list of ConfigMaps that is kept. */
export async function prepareLookUps({ create, http }: Place): Promise<void> {
  if ((await http.get(`/api/v1/namespaces/${known.namespace}`)).status === 200) return;
  await create('/api/v1/namespaces', { metadata: { name: known.namespace } });
  await create(`/api/v1/namespaces/${known.namespace}/configmaps`, { metadata: known, data: { answer: 'yes' } });
  await create('/apis/kyverno.io/v2/globalcontextentries', {
    apiVersion: 'kyverno.io/v2',
    kind: 'GlobalContextEntry',
    metadata: entry,
    spec: { kubernetesResource: { version: 'v1', resource: 'configmaps', namespace: known.namespace } },
  });
}

/** Variables of a classic rule, and a condition that reads them. */
export const lookUps = {
  context: [
    { name: 'known', configMap: known },
    { name: 'maps', globalReference: entry },
  ],
  preconditions: {
    all: [
      { key: '{{ known.data.answer }}', operator: 'Equals', value: 'yes' },
      { key: '{{ length(maps) }}', operator: 'GreaterThan', value: 0 },
    ],
  },
};

/** The same in CEL. */
export const celLookUps: readonly JsonObject[] = [
  {
    name: 'known',
    expression: `resource.Get("v1", "configmaps", "${known.namespace}", "${known.name}").data.answer == "yes"`,
  },
  { name: 'maps', expression: `globalContext.Get("${entry.name}", "").size() > 0` },
];

export const clusterPolicy = (name: string, ...rules: readonly object[]) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name },
  spec: { rules },
});

const specs: Readonly<Record<string, JsonObject>> = {
  validating: { validations: [{ expression: 'true' }] },
  mutating: { mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }] },
  generating: { generate: [{ expression: 'true' }] },
};
const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['podtemplates'] }],
};

/** A policy of each kind of expressions that has a status of its own at once. */
export async function createCelPolicies({ create }: Place, namespace: string): Promise<void> {
  for (const { kind, resource, namespaced } of celPolicyTypes) {
    const spec = specs[resource.replace('namespaced', '').replace('policies', '')];
    if (!spec) continue;
    await create(namespaced ? `${cel}/namespaces/${namespace}/${resource}` : `${cel}/${resource}`, {
      apiVersion: 'policies.kyverno.io/v1',
      kind,
      metadata: { name: 'idle' },
      spec: { matchConstraints, ...spec },
    });
  }
}
