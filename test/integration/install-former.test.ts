/** A second `install --apply` takes features away: no webhook may stay that nobody answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connect } from '../../src/app/connect.ts';
import { applyManifests, type InstallOptions, installManifests } from '../../src/app/install.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { configurationPath, createPod, register, startReplica, versionOf } from './former-webhooks.ts';

describe('an installation with fewer features', () => {
  let cluster: Cluster;
  let api: HttpClient;
  let connection: Connection;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    api = createHttpClient(cluster);
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  });
  afterAll(async () => {
    await connection?.client.close();
    await api?.close();
    await cluster?.stop();
  });

  const apply = async (name: string, options: Partial<InstallOptions>, dryRun = false) => {
    const place = { namespace: name, installation: name };
    const manifests = installManifests({ ...place, image: 'i', replicas: 1, ...options });
    const steps: string[] = [];
    await applyManifests(manifests, {
      ...connection,
      ...place,
      clock: systemClock,
      force: false,
      dryRun,
      onStep: ({ action, object }) => steps.push(`${object} ${action}`),
    });
    return steps;
  };
  const webhook = (installation: string, part: string, name: string, type?: 'mutating') =>
    ({ installation, namespace: installation, part, name, ...(type ? { type } : {}) }) as const;

  it('leaves no webhook of admission that would block the cluster, though a replica still runs', async () => {
    await apply('fewer', {});
    const validate = webhook('fewer', 'policies', 'policies-validate');
    expect(await register(api, validate)).toBe(201);
    expect(await register(api, webhook('fewer', 'policies', 'probe-admission', 'mutating'))).toBe(201);
    // The same name in another namespace.
    const namesake = { ...validate, namespace: 'elsewhere', name: 'policy-check' };
    expect(await register(api, namesake)).toBe(201);
    const before = await versionOf(api, namesake);
    expect(await createPod(api, 'blocked')).toBe(500);

    const tried = await apply('fewer', { features: ['detect'] }, true);
    expect(tried).toContain('validatingwebhookconfiguration/fewer-policies-validate removed');
    expect(tried.filter((step) => step.startsWith('clusterrolebinding/fewer:fewer:policies:webhooks'))).toHaveLength(1);
    await versionOf(api, validate);

    const replica = startReplica(api, validate);
    const steps = await apply('fewer', { features: ['detect'] });
    await replica.stop();
    expect(steps.indexOf('validatingwebhookconfiguration/fewer-policies-validate removed')).toBeLessThan(
      steps.indexOf('service/fewer-policies-webhook removed'),
    );
    expect(steps).toContain('mutatingwebhookconfiguration/fewer-probe-admission removed');
    expect((await api.get(configurationPath(validate))).status).toBe(404);
    expect(await versionOf(api, namesake)).toEqual(before);
    await api.delete(configurationPath(namesake));
    expect(await createPod(api, 'admitted')).toBe(201);
  });

  it('keeps the webhooks of other parts as they are', async () => {
    await apply('mirrors', { backupRegistry: 'r.example/copies' });
    const rewrite = webhook('mirrors', 'mirror', 'rewrite', 'mutating');
    const validate = webhook('mirrors', 'policies', 'policies-validate');
    for (const one of [rewrite, validate]) expect(await register(api, one)).toBe(201);
    const before = await versionOf(api, rewrite);
    const steps = await apply('mirrors', { backupRegistry: 'r.example/copies', features: ['mirror'] });
    expect(steps).toContain('validatingwebhookconfiguration/mirrors-policies-validate removed');
    expect(await versionOf(api, rewrite)).toEqual(before);
    await api.delete(configurationPath(rewrite));
  });

  it('keeps the webhooks that another part takes over', async () => {
    await apply('renamed', { parts: [{ name: 'old', features: ['admission'] }] });
    const validate = webhook('renamed', 'old', 'policies-validate');
    expect(await register(api, validate)).toBe(201);
    const before = await versionOf(api, validate);
    const steps = await apply('renamed', { parts: [{ name: 'new', features: ['admission'] }] });
    expect(steps).toContain('clusterrolebinding/renamed:renamed:old:webhooks removed');
    expect(await versionOf(api, validate)).toEqual(before);
    await api.delete(configurationPath(validate));
  });
});
