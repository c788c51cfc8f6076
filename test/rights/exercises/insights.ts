import { expect } from 'vitest';
import type { JsonObject } from '../../../src/base/index.ts';
import { celPolicyTypes } from '../../../src/runtime/index.ts';
import { definitions, owned, policy, yamlOf } from '../../integration/insights/policies.ts';
import { eventually } from '../../support/wait.ts';
import { type Exercise, home, type Place } from '../exercise.ts';

const namespace = 'insights';
const matchConstraints = {
  resourceRules: [
    { apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] },
  ],
};
/** What makes a policy of a kind valid; none of them is about anything. */
const specs: Readonly<Record<string, JsonObject>> = {
  Validating: { matchConstraints, validations: [{ expression: 'true' }] },
  Mutating: {
    matchConstraints,
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
  },
  Generating: { matchConstraints, generate: [{ expression: 'true' }] },
  Deleting: { matchConstraints, schedule: '0 0 1 1 *' },
};

const kindsOfInsights = [
  { apiVersion: 'kyverno.io/v2', kind: 'ClusterCleanupPolicy', resource: 'clustercleanuppolicies', namespaced: false },
  { apiVersion: 'kyverno.io/v2', kind: 'CleanupPolicy', resource: 'cleanuppolicies', namespaced: true },
  ...celPolicyTypes.map(({ group, kind, resource, namespaced }) => ({
    apiVersion: `${group}/v1`,
    kind,
    resource,
    namespaced,
  })),
  ...['', 'Namespaced'].map((prefix) => ({
    apiVersion: 'policies.kyverno.io/v1',
    kind: `${prefix}ImageValidatingPolicy`,
    resource: `${prefix}ImageValidatingPolicies`.toLowerCase(),
    namespaced: prefix !== '',
  })),
];

const ofEveryKind = (text: string) => [
  policy('from-insights', text),
  policy('from-insights', text, { namespace }),
  ...kindsOfInsights.map(({ apiVersion, kind, namespaced }) => ({
    apiVersion,
    kind,
    metadata: {
      name: 'from-insights',
      annotations: { ...owned, text },
      ...(namespaced ? { namespace } : {}),
    },
    spec: specs[kind.replace('Namespaced', '').replace('Policy', '')] ?? {},
  })),
];

const resources = [
  { group: 'kyverno.io', resource: 'clusterpolicies' },
  { group: 'kyverno.io', resource: 'policies' },
  ...kindsOfInsights.map(({ apiVersion, resource }) => ({ group: apiVersion.split('/')[0]!, resource })),
];

/** Admission refuses what it does not support, so beside it there is no such policy. */
export const isRefused = ({ features }: Pick<Place, 'features'>, resource: string): boolean =>
  features.includes('admission') && resource.endsWith('imagevalidatingpolicies');

/** Kinds of Kyverno that we do not ship. */
async function prepare({ create, http }: Place): Promise<void> {
  if ((await http.get(`/api/v1/namespaces/${namespace}`)).status === 200) return;
  await create('/api/v1/namespaces', { metadata: { name: namespace } });
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const definition of definitions) {
    if ((await http.get(`${crds}/${definition.metadata.name}`)).status === 404) await create(crds, definition);
  }
  for (const { apiVersion, resource } of kindsOfInsights)
    await eventually(async () => expect((await http.get(`/apis/${apiVersion}/${resource}`)).status).toBe(200));
}

/** Another version of the object, with the same content. */
async function touch({ http }: Place, path: string): Promise<void> {
  for (const finalizers of [['example.com/touched'], null])
    expect((await http.patch(path, { metadata: { finalizers } }, 'merge')).status).toBe(200);
}

/** Creates, updates and removes a policy of each kind, while others write them too. */
async function syncAll(place: Place, sync: () => void): Promise<void> {
  const { insights } = place;
  const settles = async (text: string) => {
    insights.policies = yamlOf(...ofEveryKind(text));
    sync();
    await eventually(async () => {
      for (const { apiVersion, resource } of everyKind) {
        if (isRefused(place, resource)) continue;
        const { items } = (await place.http.get(`/apis/${apiVersion}/${resource}`)).body;
        const found = items.filter(({ metadata }) => metadata.name === 'from-insights');
        expect(JSON.stringify(found)).toContain(`"${text}"`);
      }
    });
  };
  const classic = ['clusterpolicies', 'policies'].map((resource) => ({ resource, apiVersion: 'kyverno.io/v1' }));
  const everyKind = [...kindsOfInsights, ...classic];
  await settles('first');
  for (const { group, resource } of resources.filter((one) => !isRefused(place, one.resource))) {
    place.before({ verb: 'update', group, resource }, (request) => {
      const { apiVersion } = [...kindsOfInsights, { resource, apiVersion: 'kyverno.io/v1' }].find(
        (kind) => kind.resource === resource,
      )!;
      const inNamespace = request.namespace === '' ? '' : `namespaces/${request.namespace}/`;
      return touch(place, `/apis/${apiVersion}/${inNamespace}${resource}/${request.name}`);
    });
  }
  await settles('second');
  insights.policies = '';
  sync();
  await eventually(async () => {
    for (const { apiVersion, resource } of [
      ...kindsOfInsights,
      { apiVersion: 'kyverno.io/v1', resource: 'policies' },
    ]) {
      const { items } = (await place.http.get(`/apis/${apiVersion}/${resource}`)).body;
      expect(items.filter(({ metadata }) => metadata.name === 'from-insights')).toEqual([]);
    }
  });
}

const env = {
  ALLOW_EMPTY: 'true',
  VALIDATE_POLICIES: 'false',
  SYNC_MODE: 'best-effort',
  SYNC_INTERVAL: '1s',
  POLL_INTERVAL: '1s',
};

export const sync: Exercise = {
  env,
  prepare,
  // On demand it is the same, and there is one Insights.
  run: async (place) => (place.features.includes('jobs') ? undefined : syncAll(place, () => {})),
};

const cronJob = (name: string, annotations = {}) => ({
  metadata: { name },
  spec: {
    schedule: '0 0 1 1 *',
    jobTemplate: {
      spec: {
        template: {
          metadata: { annotations },
          spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
        },
      },
    },
  },
});

/** One Job that ends, one that is stopped, and the sync. */
export const jobs: Exercise = {
  env: { ...env, JOB_TYPES: 'nova,falco:1s,kyverno-policy-sync' },
  prepare,
  async run(place) {
    const { create, insights } = place;
    const path = `/apis/batch/v1/namespaces/${home}/cronjobs`;
    await create(path, cronJob('nova'));
    await create(path, cronJob('falco', { 'supercargo.dev/simulate-duration': '5m' }));
    let id = 0;
    for (const reportType of ['nova', 'falco']) insights.offer({ id: ++id, reportType });
    await syncAll(place, () => insights.offer({ id: ++id, reportType: 'kyverno-policy-sync' }));
    await eventually(() =>
      expect(insights.jobReports).toEqual(expect.arrayContaining(['1 completed', '2 failed', `${id} completed`])),
    );
  },
};
