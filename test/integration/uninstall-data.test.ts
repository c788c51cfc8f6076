import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { applyManifests, installManifests } from '../../src/app/install.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

let cluster: Cluster;
let api: HttpClient;
const place = { installation: 'sc', namespace: 'cargo' };
const policies = '/apis/kyverno.io/v1/clusterpolicies';
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusterpolicies.kyverno.io';

/** `uninstall` in this process, with an answer for its question if it is on a terminal. */
async function uninstall(options: readonly string[], answer?: string) {
  const texts = { stdout: '', stderr: '' };
  const isTTY = answer !== undefined;
  const stream = (name: 'stdout' | 'stderr') => ({ isTTY, write: (text: string) => (texts[name] += text) });
  const context = {
    env: {},
    openStdin: () => Object.assign(Readable.from(answer === undefined ? [] : [`${answer}\n`]), { isTTY }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    temporaryDir: '/tmp',
    signal: new AbortController().signal,
    uptimeMs: () => 0,
  };
  const where = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', 'cargo', '--installation', 'sc'];
  const exitCode = await runCli(['uninstall', ...where, ...options], context, '0.0.0');
  return { exitCode, ...texts };
}

beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  api = createHttpClient(cluster);
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  const manifests = installManifests({ ...place, image: 'i', replicas: 1 });
  await applyManifests(manifests, { ...connection, ...place, clock: systemClock, force: false, onStep: () => {} });
  await connection.client.close();
  const rules = [
    {
      name: 'r',
      match: { any: [{ resources: { kinds: ['Pod'] } }] },
      validate: { message: 'm', pattern: { metadata: { name: '?*' } } },
    },
  ];
  const metadata = { name: 'kept' };
  const apiVersion = 'kyverno.io/v1';
  await eventually(async () => {
    const { status } = await api.post(policies, { apiVersion, kind: 'ClusterPolicy', metadata, spec: { rules } });
    expect([201, 409]).toContain(status);
  });
});
afterAll(async () => {
  await api?.close();
  await cluster?.stop();
});

const exists = async (path: string) => (await api.get(path)).status === 200;
const deployment = '/apis/apps/v1/namespaces/cargo/deployments/sc-policies';

describe('the definitions and all policies', () => {
  it('are not removed by a script that does not say --yes, nor is anything else', async () => {
    const { exitCode, stdout, stderr } = await uninstall(['--crds']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain('  clusterpolicies.kyverno.io (1 object)');
    expect(stderr).toContain('nothing was done: agree with --yes');
    expect([await exists(deployment), await exists(`${policies}/kept`)]).toEqual([true, true]);
  });

  it('are not removed where somebody at a terminal answers anything but the name', async () => {
    for (const answer of ['', 'y', 'yes', 'other']) {
      const { exitCode, stderr } = await uninstall(['--crds'], answer);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('Type sc to go on: ');
    }
    expect([await exists(deployment), await exists(`${policies}/kept`)]).toEqual([true, true]);
  });

  it('are shown by a dry run, which asks nothing', async () => {
    const { exitCode, stdout } = await uninstall(['--crds', '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('customresourcedefinition/clusterpolicies.kyverno.io would be removed');
    expect(await exists(definition)).toBe(true);
  });

  it('stay while an installation of the same name elsewhere uses them', async () => {
    const other = '/apis/apps/v1/namespaces/other/deployments';
    const labels = { 'app.kubernetes.io/name': 'supercargo' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await api.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    await api.post(other, { metadata: { name: 'sc', labels }, spec: { selector: { matchLabels: labels }, template } });
    const { exitCode, stderr } = await uninstall(['--crds', '--yes']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('the definitions stay: the installation in namespace other uses them, too');
    expect(await exists(deployment)).toBe(true);
    await api.delete(`${other}/sc`);
  });

  it('stay without --crds, and go with it when the name is typed', async () => {
    const kept = await uninstall(['--dry-run']);
    expect(kept.stdout).toContain('customresourcedefinition/clusterpolicies.kyverno.io kept: every policy or report');
    const { exitCode, stdout } = await uninstall(['--crds'], 'sc');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('customresourcedefinition/clusterpolicies.kyverno.io removed');
    await eventually(async () => expect(await exists(definition)).toBe(false));
    expect(await exists(deployment)).toBe(false);
  });
});
