/** Releases of the chart where definitions are already in the cluster: they stay as they are, as with `install`. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { connect } from '../../src/app/connect.ts';
import { applyManifests, installManifests, removeInstallation } from '../../src/app/install.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { helmPath, runTool } from '../support/kubectl.ts';
import type { Cluster } from '../support/real-cluster.ts';

const folder = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const helm = await helmPath();
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const nameOf = (definition: { readonly metadata: { readonly name?: string } }) => definition.metadata.name!;
const all = customResourceDefinitions('x');
const ofKyverno = all.filter(({ metadata }) => /\.(policies\.)?kyverno\.io$/.test(metadata.name!));

describe.skipIf(helm === undefined)('a release of the chart beside other definitions', () => {
  let cluster: Cluster;
  let api: HttpClient;
  beforeEach(async () => {
    cluster = await startEmbedded({ simulation: false });
    api = createHttpClient(cluster);
  });
  afterEach(async () => {
    await api?.close();
    await cluster?.stop();
  });

  const succeed = async (...args: readonly string[]) => {
    const at = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', 'cargo'];
    const { exitCode, stdout, stderr } = await runTool(helm ?? 'helm', [...args, ...at]);
    expect(exitCode, stderr).toBe(0);
    return stdout;
  };
  const install = (release: string, ...sets: readonly string[]) =>
    succeed(
      ...['install', release, folder, '--create-namespace', '--set', 'uninstallHook.enabled=false'],
      ...sets.flatMap((set) => ['--set', set]),
    );
  /** Changes with every write, and with a definition of the same name that replaces it. */
  const versions = async (names: readonly string[]) => {
    const answers = await Promise.all(names.map((name) => api.get(`${path}/${name}`)));
    return answers.map(({ status, body }, index) => {
      expect(status, names[index]).toBe(200);
      const { uid, generation, annotations } = body.metadata;
      return { uid, generation, annotations };
    });
  };

  it('leaves those of Kyverno to it, of all its groups, and removes none of them', async () => {
    const names = ofKyverno.map(nameOf);
    expect(names).toContain('validatingpolicies.policies.kyverno.io');
    for (const { metadata, ...rest } of ofKyverno)
      expect((await api.post(path, { ...rest, metadata: { name: metadata.name } })).status).toBe(201);
    const before = await versions(names);
    const notes = await install('sc', 'crds.keep=false');
    expect(notes.replaceAll(/\s+/g, ' ')).toContain(
      `not of this release are left as they are: ${[...names].sort().join(', ')}.`,
    );
    const others = all.map(nameOf).filter((name) => !names.includes(name));
    expect((await versions(others)).map(({ annotations }) => annotations)).toEqual(
      others.map(() => expect.objectContaining({ 'meta.helm.sh/release-name': 'sc' })),
    );
    await succeed('upgrade', 'sc', folder, '--reuse-values', '--set', 'replicas=1');
    expect(await versions(names)).toEqual(before);
    await succeed('uninstall', 'sc');
    expect(await versions(names)).toEqual(before);
    expect((await api.get(`${path}/${others[0]}`)).status).toBe(404);
  });

  it('is installed under another name where a release before has left its own', async () => {
    await install('sc');
    await succeed('uninstall', 'sc');
    const names = all.map(nameOf);
    const before = await versions(names);
    await install('other');
    expect((await api.get('/apis/apps/v1/namespaces/cargo/deployments/other-policies')).status).toBe(200);
    await succeed('uninstall', 'other');
    expect(await versions(names)).toEqual(before);
  });

  it('follows an installation without Helm', async () => {
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const place = { installation: 'sc', namespace: 'cargo', clock: systemClock, dryRun: false, onStep: () => {} };
    const manifests = installManifests({ ...place, image: 'i', replicas: 1 });
    await applyManifests(manifests, { ...connection, ...place, force: false });
    await removeInstallation({ ...connection, ...place });
    await connection.client.close();
    const names = all.map(nameOf);
    const before = await versions(names);
    await install('sc');
    expect(await versions(names)).toEqual(before);
    expect((await api.get('/apis/apps/v1/namespaces/cargo/deployments/sc-policies')).status).toBe(200);
  });
});
