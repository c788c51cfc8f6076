import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClusterProgram } from '../../src/app/cluster.ts';
import { configOf } from '../../src/app/config.ts';
import { connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { freePorts } from '../support/child.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds } from './run-features.ts';
import { startTcpProxy } from './tcp-proxy.ts';

let cluster: Cluster;
let http: HttpClient;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  http = createHttpClient(cluster);
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  await installKinds(connection);
  await connection.client.close();
  await http.post('/api/v1/namespaces', { metadata: { name: 'home' } });
  expect((await http.post(policies, policy('guard', 'ConfigMap'))).status).toBe(201);
});
afterAll(async () => {
  await http.close();
  await cluster.stop();
});

const policies = '/apis/kyverno.io/v1/clusterpolicies';
const policy = (name: string, kind: string) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name },
  spec: {
    rules: [
      {
        name: 'named',
        match: { any: [{ resources: { kinds: [kind] } }] },
        validate: { failureAction: 'Enforce', message: 'guarded', pattern: { metadata: { name: 'good-*' } } },
      },
    ],
  },
});
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const names = async () => {
  const { body } = await http.get(configurations);
  return (body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
};
const create = async (kind: 'configmaps' | 'services') => {
  const spec = kind === 'services' ? { spec: { ports: [{ port: 80 }] } } : {};
  const { status, text } = await http.post(`/api/v1/namespaces/default/${kind}?dryRun=All`, {
    metadata: { name: 'bad' },
    ...spec,
  });
  return { status, text };
};
const readyOf = async (name: string) => {
  const { body } = await http.get(`${policies}/${name}`);
  const status = body['status'] as { conditions?: { type: string; status: string; message: string }[] } | undefined;
  return status?.conditions?.find(({ type }) => type === 'Ready');
};
const eventReasons = async () => {
  const { body } = await http.get('/api/v1/events');
  return (body['items'] as readonly { reason: string }[]).map(({ reason }) => reason);
};

/** As in a pod: what is registered stays when it stops. */
async function start(port: number, url: string) {
  let address = '';
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  const program = await createClusterProgram({
    config: configOf({
      features: ['admission'],
      namespace: 'home',
      server: { port: 0 },
      leaderElection: { enabled: false },
      webhook: { host: '127.0.0.1', port, url, removeOnStop: false },
    }),
    connection,
    env: {},
    log: silentLogger,
    onListening: (at) => (address = at),
  });
  const stopping = new AbortController();
  const done = program.run(stopping.signal);
  await eventually(() => expect(program.isReady().ready).toBe(true));
  return {
    isSettled: () => program.isSettled(),
    metric: async () =>
      /webhook_reachable\{group="admission"\} (\d)/.exec(await (await fetch(`http://${address}/metrics`)).text())?.[1],
    async stop() {
      stopping.abort();
      await done;
      await connection.client.close();
    },
  };
}

it('nothing is registered before the API server reaches the webhook, and nothing registered is opened later', {
  timeout: 400_000,
}, async () => {
  const [port] = (await freePorts(1)) as [number];
  let isReachable = false;
  const proxy = await startTcpProxy(port, () => ({ kind: isReachable ? 'none' : 'refuse' }));
  const url = `https://127.0.0.1:${proxy.port}`;
  const told = async (name: string) =>
    eventually(async () =>
      expect(await readyOf(name)).toMatchObject({
        status: 'False',
        message: expect.stringContaining('the API server does not reach it: '),
      }),
    );

  let running = await start(port, url);
  try {
    // Nobody is blocked, and the policy says why it does not work.
    await told('guard');
    expect(await names()).toEqual([]);
    expect((await create('configmaps')).status).toBe(201);
    expect(await running.metric()).toBe('0');
    await eventually(async () => expect(await eventReasons()).toContain('WebhookUnreachable'));
    expect(running.isSettled()).toBe(false);

    isReachable = true;
    await eventually(async () => expect((await readyOf('guard'))?.status).toBe('True'));
    expect(await create('configmaps')).toMatchObject({ status: 400, text: expect.stringContaining('guarded') });
    expect(await running.metric()).toBe('1');
    await eventually(async () => expect(await eventReasons()).toContain('WebhookReachable'));
    const registered = await names();

    // A restart while the way is blocked: what was checked stays checked, and nothing more is blocked.
    await running.stop();
    proxy.cutAll();
    isReachable = false;
    expect((await http.post(policies, policy('other', 'Service'))).status).toBe(201);
    running = await start(port, url);
    await told('other');
    expect(await names()).toEqual(registered);
    expect(await create('configmaps')).toMatchObject({ status: 500, text: expect.stringContaining('failed calling') });
    expect((await create('services')).status).toBe(201);
    // Whoever deletes the policy is no longer blocked by it.
    await http.delete(`${policies}/guard`);
    await eventually(async () => expect((await create('configmaps')).status).toBe(201));

    isReachable = true;
    await eventually(async () => expect((await create('services')).text).toContain('guarded'));
  } finally {
    await running.stop();
    await proxy.close();
  }
});
