import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { configOf } from '../../src/app/config.ts';
import { isExcludedBy } from '../../src/app/excluded-objects.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { createReportFixture, linesOf, type ReportFixture, type Running, types } from './report-fixture.ts';

const replicaSets = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true };

const policy = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'privileged', annotations },
  spec: {
    validationFailureAction: 'Audit',
    rules: [
      {
        name: 'rule',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: {
          message: 'no',
          pattern: {
            spec: {
              '=(ephemeralContainers)': [{ '=(securityContext)': { '=(privileged)': 'false' } }],
              containers: [{ '=(securityContext)': { '=(privileged)': 'false' } }],
            },
          },
        },
      },
    ],
  },
});

const labels = { app: 'web' };
const containers = [{ name: 'main', image: 'nginx:1.29', securityContext: { privileged: true } }];
const harmless = [{ name: 'main', image: 'nginx:1.29' }];

describe('a violation of a workload', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  let running: Running | undefined;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    for (const type of [types.clusterPolicy, types.pods, replicaSets, types.deployments, types.reports])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture.close();
    await cluster.stop();
  });

  const ownedBy = (owner: KubeObject | object | undefined) => {
    if (!owner) return {};
    const { apiVersion, kind, metadata } = owner as KubeObject;
    return { ownerReferences: [{ apiVersion, kind, name: metadata.name!, uid: metadata.uid!, controller: true }] };
  };
  const put = (kind: 'Deployment' | 'ReplicaSet', owner?: object, of: object[] = containers) =>
    fixture.put(kind === 'Deployment' ? types.deployments : replicaSets, {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name: 'web', namespace: 'default', ...ownedBy(owner) },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: of } } },
    } as KubeObject);
  const putPod = (owner: object, of: object[] = containers) =>
    fixture.put(types.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'default', labels, ...ownedBy(owner) },
      spec: { containers: of },
    } as KubeObject);
  const isExcluded = isExcludedBy(configOf({}));
  const lines = async () => linesOf((await fixture.reports())['default/polr-ns-default-privileged']);
  const start = async () => {
    running = await fixture.start({ isExcluded });
  };

  it.each(['no controller', 'another controller'])(
    'is reported on the Pod of a ReplicaSet without a Deployment (%s)',
    async (which) => {
      // It stands for a Rollout of Argo: a controller for which no rule is derived.
      const metadata = { name: 'rollout', namespace: 'default' };
      const other = await fixture.put(types.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      await fixture.put(types.clusterPolicy, policy());
      await start();
      await putPod(await put('ReplicaSet', which === 'no controller' ? undefined : other));
      await eventually(async () => expect(await lines()).toEqual(['Pod web-1: rule fail']));
    },
  );

  it.each([
    ['all controllers', {}],
    ['some controllers', { 'pod-policies.kyverno.io/autogen-controllers': 'DaemonSet,Deployment,StatefulSet' }],
  ])('is reported on the Deployment alone, and on the Pod once it is orphaned (%s)', async (_, annotations) => {
    await fixture.put(types.clusterPolicy, policy(annotations));
    const replicaSet = await put('ReplicaSet', await put('Deployment'));
    await putPod(replicaSet);
    await start();
    await eventually(async () => expect(await lines()).toEqual(['Deployment web: autogen-rule fail']));
    await running!.settled();
    expect(await lines()).toEqual(['Deployment web: autogen-rule fail']);
    await put('ReplicaSet');
    await fixture.remove(types.deployments, 'web', 'default');
    await eventually(async () => expect(await lines()).toEqual(['Pod web-1: rule fail']));
  });

  it('of an ephemeral container is reported on the Pod, and the rest on the Deployment alone', async () => {
    await fixture.put(types.clusterPolicy, policy());
    const replicaSet = await put('ReplicaSet', await put('Deployment', undefined, harmless));
    await putPod(replicaSet, harmless);
    await start();
    await eventually(async () => expect(await lines()).toEqual(['Deployment web: autogen-rule pass']));
    const debug = { name: 'debug', image: 'busybox', securityContext: { privileged: true } };
    await fixture.client.patch(
      types.pods,
      { name: 'web-1', namespace: 'default' },
      { type: 'merge', body: { spec: { ephemeralContainers: [debug] } } },
      { subresource: 'ephemeralcontainers' },
    );
    await eventually(async () =>
      expect(await lines()).toEqual(['Deployment web: autogen-rule pass', 'Pod web-1: rule fail']),
    );
  });
});
