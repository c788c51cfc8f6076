import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { runCommand } from '../support/run-command.ts';

describe('supercargo version', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
  });
  afterAll(() => cluster?.stop());

  const run = (...args: readonly string[]) => runCommand([...args, '--kubeconfig', cluster.kubeconfigPath]);

  it('shows the cluster, and what is installed in it with its features', async () => {
    expect((await run('version')).stdout).toMatch(/\ncluster: Kubernetes v1\.\S+ at https.*\ninstalled: nothing\n$/);
    const installed = await run('install', '--apply', '--features', 'report,detect', '--namespace', 'images');
    expect(installed).toMatchObject({ code: 0 });
    const { code, stdout } = await run('version', '-o', 'json');
    expect(code).toBe(0);
    const found = JSON.parse(stdout);
    expect(found.cluster.version).toMatch(/^v1\./);
    for (const part of found.installed) expect(part).toMatchObject({ namespace: 'images', readyReplicas: 0 });
    const features = found.installed.flatMap((part: { readonly features: readonly string[] }) => part.features);
    expect(features.sort()).toEqual(['detect', 'report']);
    expect((await run('version')).stdout).toMatch(/\nNAMESPACE +DEPLOYMENT +READY +IMAGE +FEATURES\nimages +/);
  });
});
