import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { createLogger, silentLogger } from '../../src/base/index.ts';
import type { ResourceType } from '../../src/kube/index.ts';
import { createRegistryClient, type RegistryClient } from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import { configMaps, deployments, namespaces } from '../integration/connection.ts';
import { clusterPolicies, pods, policyReports } from '../integration/everything-objects.ts';
import { resultsOf } from '../integration/report-fixture.ts';
import { installKinds, type RunningFeatures, runFeatures } from '../integration/run-features.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { oddNamespace, oddObjectCount, oddObjects, widgetDefinition, widgetGroup } from '../support/odd-objects.ts';
import { pushImage } from '../support/push-image.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

/** An ordinary object is through everything within this time. */
const ordinaryMs = 5_000;
const widgets: ResourceType = {
  group: widgetGroup,
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};
const types = { ConfigMap: configMaps, Pod: pods, Deployment: deployments, Widget: widgets };

let cluster: Cluster;
let server: HttpClient;
let registry: RegistryServer;
let images: RegistryClient;
let program: RunningFeatures;
const errors: string[] = [];

const match = { any: [{ resources: { kinds: Object.keys(types), namespaces: [oddNamespace] } }] };
const policy = (name: string, rule: object, spec: object = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } },
  spec: { rules: [{ name, match, ...rule }], ...spec },
});
const metadataOf = { labels: { '+(seen)': 'yes' } };
const policies = [
  policy('mark', { mutate: { patchStrategicMerge: { metadata: metadataOf } } }, { failurePolicy: 'Ignore' }),
  policy('small', {
    validate: {
      failureAction: 'Enforce',
      message: 'too large',
      deny: {
        conditions: {
          any: [{ key: '{{ length(to_string(request.object)) }}', operator: 'GreaterThan', value: 1_500_000 }],
        },
      },
    },
  }),
  policy('audited', { validate: { message: 'm', pattern: { metadata: { name: '?*' } } } }, { background: true }),
  policy('made', {
    match: { any: [{ resources: { kinds: ['ConfigMap', 'Widget'], namespaces: [oddNamespace], names: ['*-*'] } }] },
    exclude: { any: [{ resources: { names: ['made-*'] } }] },
    generate: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'made-{{ request.object.kind | to_lower(@) }}-{{ request.object.metadata.name }}',
      namespace: oddNamespace,
      synchronize: true,
      data: { data: { name: '{{ request.object.metadata.name }}' } },
    },
  }),
];

beforeAll(async () => {
  [cluster, registry] = await Promise.all([startEmbedded({ simulation: false }), startRegistryServer()]);
  server = createHttpClient(cluster);
  images = createRegistryClient();
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  await installKinds(connection);
  const labels = { 'image-clone-controller': 'enabled' };
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'supercargo' } };
  await connection.client.create(namespaces, home);
  await connection.client.create(namespaces, { ...home, metadata: { name: oddNamespace, labels } });
  await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgetDefinition);
  await eventually(async () =>
    expect((await server.get(`/apis/${widgetGroup}/v1/namespaces/${oddNamespace}/widgets`)).status).toBe(200),
  );
  for (const one of policies) await connection.client.create(clusterPolicies, one);
  await connection.client.close();
});
afterAll(async () => {
  await program?.stop();
  await images?.close();
  await server?.close();
  await registry?.stop();
  await cluster?.stop();
});

async function start(): Promise<void> {
  program = await runFeatures(cluster, ['admission', 'generate', 'report', 'mirror', 'create'], {
    log: createLogger({ level: 'error', destination: { write: (line: string) => void errors.push(line) } }),
    config: {
      namespace: 'supercargo',
      mirror: { registry: `${registry.host}/copies`, wait: '500ms', trustReviews: true },
    },
  });
}

/** One ordinary object of each kind: admitted, changed, generated for, reported and copied; answers how long it took. */
async function ordinaryObjects(attempt: number): Promise<number> {
  const { client } = program.connection;
  const image = `${registry.host}/shop/web:${attempt}`;
  await pushImage(images, image);
  const startedMs = performance.now();
  const name = `ordinary-${attempt}`;
  const metadata = { name, namespace: oddNamespace };
  const spec = { containers: [{ name: 'a', image }] };
  const template = { metadata: { labels: { app: 'a' } }, spec };
  const selector = { matchLabels: { app: 'a' } };
  const bodies = {
    ConfigMap: { data: { a: 'b' } },
    Pod: { spec },
    Deployment: { spec: { replicas: 0, selector, template } },
    Widget: { spec: { value: 1 } },
  };
  for (const [kind, type] of Object.entries(types)) {
    const apiVersion = type.group === '' ? 'v1' : `${type.group}/${type.version}`;
    const body = bodies[kind as keyof typeof bodies];
    const created = await client.create(type, { apiVersion, kind, metadata, ...body });
    expect(created.metadata).toMatchObject({ labels: { seen: 'yes' } });
  }
  await eventually(async () => {
    const deployment = await client.get(deployments, metadata);
    expect(JSON.stringify(deployment)).toContain(`"image":"${registry.host}/copies/`);
    for (const kind of ['configmap', 'widget'])
      await client.get(configMaps, { namespace: oddNamespace, name: `made-${kind}-${name}` });
    const { items } = await client.list(policyReports, { namespace: oddNamespace });
    const reported = items.flatMap(resultsOf).filter(({ resources }) => resources?.some((one) => one.name === name));
    expect(new Set(reported.flatMap(({ resources }) => resources?.map(({ kind }) => kind)))).toEqual(
      new Set(Object.keys(types)),
    );
  });
  return performance.now() - startedMs;
}

test(
  'odd objects pass through watch, admission, generate, report, mirror and inventory',
  async () => {
    const statuses = new Map<string, number>();
    const create = async ({ kind, path, text }: ReturnType<typeof oddObjects>[number], when: string) => {
      const { status, text: answer } = await server.send('POST', path, { body: Buffer.from(text) });
      statuses.set(`${when} ${kind} ${status}`, (statuses.get(`${when} ${kind} ${status}`) ?? 0) + 1);
      // Refused by the API server or by a rule that cannot be evaluated, which says so; never by a time-out.
      if (status !== 201) expect(`${status} ${answer.slice(0, 300)}`).toMatch(/^4\d\d /);
    };
    const objects = oddObjects();
    const half = Math.floor(objects.length / 2);
    for (const object of objects.slice(0, half)) await create(object, 'listed');
    await start();
    for (const object of objects.slice(half)) await create(object, 'watched');
    const took = [await ordinaryObjects(1)];
    // Another process may have had the machine meanwhile.
    while (took.at(-1)! > ordinaryMs && took.length < 4) took.push(await ordinaryObjects(took.length + 1));
    console.info(`figure: ${[...statuses].map(([what, count]) => `${what}: ${count}`).join(', ')}`);
    console.info(`figure: ordinary objects took ${took.map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
    expect(Math.min(...took)).toBeLessThan(ordinaryMs);
    for (const kind of Object.keys(types)) expect(statuses.get(`watched ${kind} 201`)).toBeGreaterThan(0);
  },
  Math.max(900_000, oddObjectCount * 300),
);
