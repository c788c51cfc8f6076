import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClusterProgram } from '../../src/app/cluster.ts';
import { configOf, type FeatureName } from '../../src/app/config.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { applyDefinitions, definitionsServed } from '../../src/app/definitions.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { configurationTypes } from '../../src/webhook/index.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { leases, namespaces } from './connection.ts';

/** The seed's Detection and Creation Manager as two processes of one installation. */
export function defineTwoManagers(startCluster: () => Promise<Cluster>): void {
  let cluster: Cluster;
  let connection: Connection;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const { client } = connection;
    await applyDefinitions(client, 'supercargo');
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'supercargo' } });
    const { signal } = new AbortController();
    await definitionsServed(client, { signal, pause: (until) => systemClock.sleep(10, until) });
  });
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await connection?.client.close();
    await cluster?.stop();
  });

  /** One process of the installation, with these features. */
  async function start(features: readonly FeatureName[], env: Readonly<Record<string, string>> = {}) {
    const own = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const end = new AbortController();
    let address = '';
    const program = await createClusterProgram({
      config: configOf({ namespace: 'supercargo', features: [...features], server: { port: 0 } }),
      connection: own,
      env,
      log: silentLogger,
      onListening: (given) => {
        address = given;
      },
    });
    const running = program.run(end.signal);
    stops.push(async () => {
      end.abort();
      await running;
      await own.client.close();
    });
    return { readyz: async () => (await fetch(`http://${address}/readyz?verbose`)).text(), end };
  }

  const holderOf = async (name: string) =>
    ((await connection.client.get<KubeObject>(leases, { namespace: 'supercargo', name }))['spec'] as never)[
      'holderIdentity'
    ] as string;

  it('detection and creation of one installation lead side by side in two processes, and say so', async () => {
    const [detection, creation] = await Promise.all([start(['detect']), start(['create'])]);
    await eventually(async () => {
      expect(await detection.readyz()).toMatch(/^ok\ndetect: led by this replica/);
      expect(await creation.readyz()).toMatch(/^ok\ncreate: led by this replica/);
    });
    expect(await holderOf('supercargo-detect')).not.toBe(await holderOf('supercargo-create'));
    // A second replica of one of them follows, and names the leader.
    const second = await start(['detect']);
    const leader = await holderOf('supercargo-detect');
    await eventually(async () => expect(await second.readyz()).toBe(`ok\ndetect: led by ${leader}\n`));
  });

  it('generation is led where admission is led, with a lease of its own', async () => {
    const config = { namespace: 'supercargo', installation: 'policies', features: ['admission', 'generate'] as const };
    const own = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const end = new AbortController();
    const program = await createClusterProgram({
      config: configOf({
        ...config,
        features: [...config.features],
        policies: { selector: {} },
        webhook: { port: 0, exposure: 'loopback' },
      }),
      connection: own,
      env: {},
      servesStatus: false,
      log: silentLogger,
    });
    const running = program.run(end.signal);
    await eventually(async () => expect(await holderOf('policies-generate')).not.toBe(''));
    expect(await holderOf('policies-generate')).toBe(await holderOf('policies-admission'));
    const registered = async () =>
      (await connection.client.list(configurationTypes.validating, { labelSelector: 'supercargo.dev/owner=policies' }))
        .items.length;
    await eventually(async () => expect(await registered()).toBeGreaterThan(0));
    end.abort();
    await running;
    // Outside a pod nothing answers them after the stop.
    expect(await registered()).toBe(0);
    expect(await holderOf('policies-generate')).toBe('');
    expect(await holderOf('policies-admission')).toBe('');
    await own.client.close();
  });

  it('a process outside the cluster registers no webhooks of a Service that it is not behind', async () => {
    const make = (
      webhook: object,
      env: Readonly<Record<string, string>> = {},
      features: readonly FeatureName[] = ['admission'],
      through = connection,
    ) =>
      createClusterProgram({
        config: configOf({
          namespace: 'supercargo',
          features: [...features],
          mirror: { registry: 'backup.example' },
          webhook,
        }),
        connection: through,
        env,
        servesStatus: false,
        log: silentLogger,
      });
    await expect(make({})).rejects.toThrow(/outside the cluster.*webhook\.url/);
    for (const features of [['mirror'], ['admission', 'generate'], ['detect', 'mirror']] as const)
      await expect(make({}, {}, features), features.join()).rejects.toThrow(/outside the cluster.*webhook\.url/);
    // Features without webhooks block nobody.
    await make({}, {}, ['generate', 'report', 'detect', 'create']);
    await make({ exposure: 'service' });
    await make({ url: 'https://webhooks.example:9443' });
    const { client } = connection;
    const own = { ...connection, client: { ...client, config: { ...client.config, isInPod: true } } };
    await make({}, {}, ['admission'], own);
    // A pod of another cluster, as a job of a CI system has it.
    await expect(make({}, { KUBERNETES_SERVICE_HOST: '10.0.0.1' })).rejects.toThrow(/outside the cluster/);
  });
}
