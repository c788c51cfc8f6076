/** Releases of the chart whose webhooks lose their program: the hooks really run, with their own rights. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { helmPath, runTool } from '../support/kubectl.ts';
import type { Cluster } from '../support/real-cluster.ts';
import {
  configurationPath,
  createPod,
  type RegisteredWebhook,
  register,
  startReplica,
  versionOf,
} from './former-webhooks.ts';
import { authorizeAccounts, type HookJobs, runHookJobs } from './hook-jobs.ts';

const folder = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const helm = await helmPath();
const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

describe.skipIf(helm === undefined)('a release of the chart with fewer features', () => {
  let cluster: Cluster;
  let api: HttpClient;
  let hooks: HookJobs;
  beforeAll(async () => {
    // Deployments need no pods here: replicas are played below.
    cluster = await startEmbedded({ simulation: false, authorize: authorizeAccounts(() => api) });
    api = createHttpClient(cluster);
    hooks = runHookJobs(cluster, api, 'cargo');
  });
  afterAll(async () => {
    await hooks?.stop();
    await api?.close();
    await cluster?.stop();
  });

  const run = (...args: readonly string[]) =>
    runTool(helm ?? 'helm', [...args, '--kubeconfig', cluster.kubeconfigPath, '--namespace', 'cargo']);
  const succeed = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await run(...args);
    expect({ exitCode, stderr, jobs: hooks.ran }).toMatchObject({ exitCode: 0 });
  };
  /** To these values, from whatever a test before has left. Definitions play no role here. */
  const values = (...sets: readonly string[]) => [
    ...['upgrade', 'sc', folder, '--install', '--create-namespace', '--reset-values'],
    ...['crds.install=false', ...sets].flatMap((set) => [set.includes('[') ? '--set-json' : '--set', set]),
  ];
  const upgrade = (...sets: readonly string[]) => succeed(...values(...sets));
  const refused = async (...sets: readonly string[]) => {
    const { exitCode, stderr } = await run(...values(...sets));
    expect(exitCode, stderr).toBe(1);
    return stderr;
  };
  const names = () => hooks.ran.map(({ name }) => name);
  const webhook = (part: string, name: string, type?: 'mutating'): RegisteredWebhook => ({
    installation: 'sc',
    namespace: 'cargo',
    part,
    name,
    ...(type ? { type } : {}),
  });
  const validate = webhook('policies', 'policies-validate');
  const rewrite = webhook('mirror', 'rewrite', 'mutating');
  const statusOf = async (one: RegisteredWebhook) => (await api.get(configurationPath(one))).status;
  const mirrored = 'mirror.registry=r.example/copies';
  /** The number of the release now. */
  const revision = async () => {
    const { stdout } = await run('history', 'sc', '--output', 'json');
    return String(Math.max(...(JSON.parse(stdout) as { revision: number }[]).map((one) => one.revision)));
  };

  it('leaves no webhook that would block the cluster, and touches no other', async () => {
    await upgrade(mirrored);
    for (const one of [validate, rewrite]) expect(await register(api, one)).toBe(201);
    const before = await versionOf(api, rewrite);
    expect(await createPod(api, 'blocked')).toBe(500);
    await upgrade(mirrored, 'replicas=1');
    expect(names()).toEqual([]);

    const replica = startReplica(api, validate);
    await upgrade(mirrored, 'features={detect,mirror}');
    await replica.stop();
    expect(names()).toEqual(['sc-former-webhooks']);
    expect(await statusOf(validate)).toBe(404);
    expect(await versionOf(api, rewrite)).toEqual(before);
    expect((await api.get('/api/v1/namespaces/cargo/serviceaccounts/sc-uninstall')).status).toBe(404);

    await upgrade('features={detect}');
    expect(await statusOf(rewrite)).toBe(404);
    expect(await createPod(api, 'admitted')).toBe(201);
    expect(hooks.ran.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  });

  it('leaves none after a rollback to fewer features', async () => {
    await upgrade('features={detect}');
    const fewer = await revision();
    await upgrade();
    expect((await api.get(`${bindings}/sc:cargo:policies:webhooks`)).status).toBe(200);
    expect(await register(api, validate)).toBe(201);
    await succeed('rollback', 'sc', fewer);
    expect(await statusOf(validate)).toBe(404);
    expect(hooks.ran.at(-1)).toMatchObject({ name: 'sc-former-webhooks', exitCode: 0 });
  });

  it('keeps webhooks that another part takes over', async () => {
    await upgrade('parts=[{"name":"old","features":["admission"]}]');
    const taken = webhook('old', 'policies-validate');
    expect(await register(api, taken)).toBe(201);
    const before = await versionOf(api, taken);
    await upgrade('parts=[{"name":"new","features":["admission"]}]');
    expect(await versionOf(api, taken)).toEqual(before);
    expect((await api.get(`${bindings}/sc:cargo:old:webhooks`)).status).toBe(404);
    await api.delete(configurationPath(taken));
  });

  it('refuses another name, and webhooks without a program where the hook is off', async () => {
    await upgrade();
    expect(await register(api, validate)).toBe(201);
    expect(await refused('fullnameOverride=other')).toContain(
      'an installation cannot be renamed: set fullnameOverride=sc',
    );
    const off = 'uninstallHook.enabled=false';
    expect(await refused(off, 'features={detect}')).toContain(
      'the webhooks of sc-policies-webhook would have no program',
    );
    expect(await refused('rbac.create=false')).toContain('with rbac.create=false the uninstall hook has no rights');
    await upgrade(off, 'rbac.create=false');
    await api.delete(configurationPath(validate));
    await upgrade(off, 'features={detect}');
  });

  it('removes all webhooks when it is uninstalled, and needs no other right for it', async () => {
    await upgrade();
    expect(await register(api, validate)).toBe(201);
    const replica = startReplica(api, validate);
    await succeed('uninstall', 'sc');
    await replica.stop();
    expect(hooks.ran.at(-1)).toMatchObject({ name: 'sc-uninstall', exitCode: 0 });
    expect(await statusOf(validate)).toBe(404);
    expect(await createPod(api, 'free')).toBe(201);
  });
});
