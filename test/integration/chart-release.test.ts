/** The life of a release of the chart on the embedded cluster, with the real helm. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { helmPath, runTool } from '../support/kubectl.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const folder = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const helm = await helmPath();

describe.skipIf(helm === undefined)('a release of the chart', () => {
  let cluster: Cluster;
  let api: HttpClient;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } });
    api = createHttpClient(cluster);
  });
  afterAll(async () => {
    await api?.close();
    await cluster?.stop();
  });

  const run = (...args: readonly string[]) =>
    runTool(helm ?? 'helm', [...args, '--kubeconfig', cluster.kubeconfigPath, '--namespace', 'cargo']);
  const succeed = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect(exitCode, stderr).toBe(0);
    return stdout;
  };
  const get = async (path: string) => (await api.get(path)).body as unknown as KubeObject;
  const deployment = '/apis/apps/v1/namespaces/cargo/deployments/sc-policies';
  const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterpolicies.kyverno.io';
  const policies = '/apis/kyverno.io/v1/clusterpolicies';

  it('is installed, upgraded, rolled back and uninstalled; definitions and policies stay', async () => {
    const notes = await succeed('install', 'sc', folder, '--create-namespace', '--wait', '--timeout', '120s');
    expect(notes).toContain('runs in namespace cargo, as policies (admission, generate, report, cleanup), automation');
    expect(notes).toContain('kubectl apply -f policy.yaml');
    expect(await get(deployment)).toMatchObject({ status: { readyReplicas: 2 } });
    await eventually(async () => expect((await api.get(policies)).status).toBe(200));
    const rules = [
      {
        name: 'r',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: { message: 'm', pattern: { metadata: { name: '?*' } } },
      },
    ];
    expect(
      (
        await api.post(policies, {
          apiVersion: 'kyverno.io/v1',
          kind: 'ClusterPolicy',
          metadata: { name: 'kept' },
          spec: { rules },
        })
      ).status,
    ).toBe(201);

    const checksum = async () =>
      ((await get(deployment))['spec'] as { template: KubeObject }).template.metadata.annotations?.[
        'supercargo.dev/config-checksum'
      ];
    const before = await checksum();
    await succeed('upgrade', 'sc', folder, '--reuse-values', '--set', 'config.logLevel=debug,replicas=3');
    expect(await get(deployment)).toMatchObject({ spec: { replicas: 3 } });
    expect(await checksum()).not.toBe(before);
    const refused = await run('upgrade', 'sc', folder, '--set', 'config.loglevel=debug');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("'loglevel' not allowed") });
    await succeed('rollback', 'sc', '1');
    expect(await get(deployment)).toMatchObject({ spec: { replicas: 2 } });
    expect(await checksum()).toBe(before);

    await succeed('uninstall', 'sc', '--timeout', '120s');
    expect((await api.get(deployment)).status).toBe(404);
    expect((await api.get('/api/v1/namespaces/cargo/serviceaccounts/sc-uninstall')).status).toBe(404);
    expect((await api.get(crd)).status).toBe(200);
    expect((await api.get(`${policies}/kept`)).status).toBe(200);

    await succeed('install', 'sc', folder);
    expect((await get(crd)).metadata.annotations).toMatchObject({ 'meta.helm.sh/release-name': 'sc' });
  });
});
