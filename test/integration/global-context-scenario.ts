import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds, type RunningFeatures, runFeatures } from './run-features.ts';

const entries = '/apis/kyverno.io/v2/globalcontextentries';
const validating = '/apis/policies.kyverno.io/v1/validatingpolicies';
const classic = '/apis/kyverno.io/v1/clusterpolicies';
const mapsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

const entry = (name: string, spec: object, version = 'v2') => ({
  apiVersion: `kyverno.io/${version}`,
  kind: 'GlobalContextEntry',
  metadata: { name },
  spec,
});

/** GlobalContextEntries, read by classic policies and by CEL. */
export function defineGlobalContextScenario(start: () => Promise<Cluster>): void {
  let cluster: Cluster | undefined;
  let client: HttpClient;
  let running: RunningFeatures | undefined;
  const created = async (path: string, object: object) => {
    const { status, text } = await client.post(path, object);
    expect(status, text).toBe(201);
  };
  beforeAll(async () => {
    cluster = await start();
    client = createHttpClient(cluster);
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await connection.client.close();
    for (const name of ['data', 'asked']) await created('/api/v1/namespaces', { metadata: { name } });
    await created(mapsOf('data'), { metadata: { name: 'known' }, data: { allowed: 'yes' } });
    running = await runFeatures(cluster, ['admission']);
  });
  afterAll(async () => {
    await running?.stop();
    await client?.close();
    await cluster?.stop();
  });

  const conditionOf = async (name: string) => {
    const { body } = await client.get(`${entries}/${name}`);
    const { conditions = [] } = (body['status'] ?? {}) as { conditions?: readonly { readonly type: string }[] };
    return conditions.find(({ type }) => type === 'Ready');
  };
  const kubernetesResource = { version: 'v1', resource: 'configmaps', namespace: 'data' };
  const messageFor = (name: string) =>
    eventually(async () => {
      const { status, body } = await client.post(`${mapsOf('asked')}?dryRun=All`, { metadata: { name } });
      expect(status).toBe(400);
      return body.message;
    });

  describe('a GlobalContextEntry', () => {
    it('is served in three versions, and takes one source', async () => {
      for (const version of ['v2', 'v2beta1', 'v2alpha1']) {
        const path = `/apis/kyverno.io/${version}/globalcontextentries`;
        await created(path, entry(`served-${version}`, { kubernetesResource }, version));
        expect((await client.get(`${path}/served-${version}`)).status).toBe(200);
      }
      const { status, body } = await client.post(
        entries,
        entry('both', { kubernetesResource, apiCall: { urlPath: '/x' } }),
      );
      expect([status, body.message]).toEqual([
        422,
        expect.stringContaining('exactly one of kubernetesResource, apiCall'),
      ]);
    });

    it('gives ValidatingPolicies the objects of a kind as they are now, and projections', async () => {
      const projections = [{ name: 'names', jmesPath: '[].metadata.name' }];
      await created(entries, entry('maps', { kubernetesResource, projections }));
      const expression = "globalContext.Get('maps', 'names').exists(name, name == object.metadata.name)";
      await created(validating, {
        apiVersion: 'policies.kyverno.io/v1',
        kind: 'ValidatingPolicy',
        metadata: { name: 'known-names' },
        spec: {
          matchConstraints: {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'asked' } },
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
          },
          matchConditions: [{ name: 'cel', expression: "!object.metadata.name.startsWith('classic')" }],
          validations: [{ expression, message: 'the name is not known' }],
        },
      });
      expect(await messageFor('unknown')).toContain('the name is not known');
      const name = { metadata: { name: 'later' } };
      expect(await messageFor('later')).toContain('the name is not known');
      await created(mapsOf('data'), name);
      await eventually(async () => expect((await client.post(`${mapsOf('asked')}?dryRun=All`, name)).status).toBe(201));
      expect(await conditionOf('maps')).toMatchObject({ status: 'True', reason: 'Succeeded' });
    });

    it('gives classic rules the answer to a call, and a projection by its name', async () => {
      await created(
        entries,
        entry('call', {
          apiCall: { urlPath: '/api/v1/namespaces/data/configmaps/known' },
          projections: [{ name: 'allowed', jmesPath: 'data.allowed' }],
        }),
      );
      const context = [
        { name: 'whole', globalReference: { name: 'call', jmesPath: 'metadata.name' } },
        { name: 'part', globalReference: { name: 'call.allowed' } },
      ];
      await created(classic, {
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: 'says' },
        spec: {
          background: false,
          rules: [
            {
              name: 'says',
              match: { any: [{ resources: { kinds: ['ConfigMap'], names: ['classic-*'], namespaces: ['asked'] } }] },
              context,
              validate: { failureAction: 'Enforce', message: 'found {{ whole }} {{ part }}', deny: {} },
            },
          ],
        },
      });
      expect(await messageFor('classic-a')).toContain('found known yes');
      const { body } = await client.get(`${entries}/call`);
      expect(body['status']).toMatchObject({ lastRefreshTime: expect.stringMatching(/Z$/) });
    });

    it('that has no data says why', async () => {
      await created(entries, entry('nothing', { apiCall: { urlPath: '/api/v1/nowhere', retryLimit: 1 } }));
      await created(entries, entry('unserved', { kubernetesResource: { version: 'v1', resource: 'nowheres' } }));
      await created(
        entries,
        entry('post', { apiCall: { urlPath: '/api/v1/namespaces/data/configmaps', method: 'POST', retryLimit: 1 } }),
      );
      for (const [name, message] of [
        ['nothing', 'could not find the requested resource'],
        ['unserved', 'the cluster does not serve'],
        ['post', 'policies may not POST to /api/v1/namespaces/data/configmaps'],
      ] as const)
        await eventually(async () =>
          expect(await conditionOf(name)).toMatchObject({ status: 'False', message: expect.stringContaining(message) }),
        );
    });
  });
}
