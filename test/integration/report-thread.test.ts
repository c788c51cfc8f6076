import { beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { eventually } from '../support/wait.ts';
import { namespaces } from './connection.ts';
import { useInstalledCluster } from './installed-cluster.ts';
import { linesOf, pod, requireLabel, types } from './report-fixture.ts';
import { launchRun } from './run-program.ts';

describe('reports of the built program', () => {
  const installed = useInstalledCluster();
  beforeAll(async () => {
    for (const name of ['supercargo', 'shop'])
      await installed.connection.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  });

  const contentOf = async (policy: string) => {
    const name = `polr-ns-shop-${policy}`;
    return linesOf(await installed.connection.client.get(types.reports, { name, namespace: 'shop' }));
  };

  it('are written by a thread of their own, with what admission found, and counted in the metrics', async () => {
    const { cluster, connection } = installed;
    const { client } = connection;
    const rules = [{ name: 'has-app', label: 'app' }];
    const asked = requireLabel('asked', rules);
    const policies = [
      requireLabel('scanned', rules),
      // Nobody scans for it: its results come from admission alone.
      { ...asked, spec: { ...(asked['spec'] as object), background: false } },
    ];
    for (const policy of policies) await client.create(types.clusterPolicy, policy);
    const features = ['admission', 'report'];
    const program = launchRun(cluster, { namespace: 'supercargo', features, leaderElection: { enabled: false } });
    try {
      const address = await program.until((_, stderr) => /"address":"([^"]+)"/.exec(stderr)?.[1]);
      await eventually(async () => expect((await fetch(`http://${address}/readyz`)).status).toBe(200));
      await eventually(async () => {
        const { status } = await client.get<KubeObject>(types.clusterPolicy, { name: 'asked' });
        expect(status).toMatchObject({ conditions: [expect.objectContaining({ type: 'Ready', status: 'True' })] });
      });
      await client.create(types.pods, pod('web', 'shop', { labels: { app: 'web' } }));
      await client.create(types.pods, pod('bare', 'shop'));
      const expected = ['Pod bare: has-app fail', 'Pod web: has-app pass'];
      for (const policy of ['scanned', 'asked'])
        await eventually(async () => expect(await contentOf(policy)).toEqual(expected));
      await eventually(async () => {
        const text = await (await fetch(`http://${address}/metrics`)).text();
        expect(text).toMatch(/^supercargo_report_results\{result="fail"\} 2$/m);
        expect(text).toMatch(/^supercargo_report_writes_total\{operation="create",outcome="done"\} 2$/m);
      });
    } finally {
      expect(await program.stop()).toEqual({ code: 0, signal: null });
    }
    expect(program.stderr()).not.toMatch(/"level":"(error|warn)"/);
  });
});
