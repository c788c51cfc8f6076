import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Connection } from '../../src/app/connect.ts';
import { connect } from '../../src/app/connect.ts';
import { createLogger, silentLogger } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { withoutRights } from './faulty-client.ts';
import { installKinds, runFeatures } from './run-features.ts';

let cluster: Cluster;
let http: HttpClient;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  http = createHttpClient(cluster);
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  await installKinds(connection);
  await http.post('/api/v1/namespaces', { metadata: { name: 'home' } });
  await connection.client.close();
});
afterAll(async () => {
  await http.close();
  await cluster.stop();
});

const policy = {
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'ValidatingPolicy',
  metadata: { name: 'guard' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: 'false', message: 'guarded' }],
  },
};

test('the program starts without the right to read a policy kind, says so, and takes the kind up when it is granted', async () => {
  let isGranted = false;
  let address = '';
  const lines: string[] = [];
  const running = await runFeatures(cluster, ['admission', 'report'], {
    config: { namespace: 'home' },
    log: createLogger({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } }),
    onListening: (at) => {
      address = `http://${at}`;
    },
    connection: (administrator): Connection => ({
      ...administrator,
      client: withoutRights(
        administrator.client,
        ({ group }) => group === 'policies.kyverno.io' && !isGranted,
      ) as Connection['client'],
    }),
  });
  try {
    const ready = await fetch(`${address}/readyz?verbose`);
    expect([ready.status, await ready.text()]).toEqual([
      200,
      expect.stringContaining('cannot be read: policies.kyverno.io/v1/validatingpolicies'),
    ]);
    await eventually(() => expect(lines.filter((line) => line.includes('rights to read'))).toHaveLength(1));
    expect((await http.post('/apis/policies.kyverno.io/v1/validatingpolicies', policy)).status).toBe(201);
    isGranted = true;
    await eventually(async () => {
      const { status, text } = await http.post('/api/v1/namespaces/default/configmaps?dryRun=All', {
        metadata: { name: 'x' },
      });
      expect([status, text]).toEqual([400, expect.stringContaining('guarded')]);
    });
    await eventually(async () =>
      expect(await (await fetch(`${address}/readyz?verbose`)).text()).not.toContain('cannot be read'),
    );
  } finally {
    await running.stop();
  }
});
