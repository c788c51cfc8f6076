/** `supercargo check` against a real control plane: before an installation, with one that works, and with broken ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchRun } from '../integration/run-program.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { runProgram } from '../support/program.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

interface Line {
  readonly check: string;
  readonly result: string;
  readonly found: string;
}
const slow = { timeoutMs: 60_000, intervalMs: 500 };
const features = ['--features', 'admission,report'];
const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

describe('supercargo check', () => {
  let cluster: RealCluster;
  let api: HttpClient;
  let program: ReturnType<typeof launchRun> | undefined;
  const supercargo = (...args: readonly string[]) => runProgram(args, { env: { KUBECONFIG: cluster.kubeconfigPath } });
  const check = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await supercargo('check', '-o', 'json', ...args);
    const { checks } = JSON.parse(stdout || `{"checks":[]}`) as { readonly checks: readonly Line[] };
    const failed = checks.filter(({ result }) => result === 'fail').map((line) => line.check);
    return { exitCode, stderr, failed, find: (name: string) => checks.filter((line) => line.check === name) };
  };

  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true });
    api = createHttpClient(cluster);
  });
  afterAll(async () => {
    await program?.stop();
    await api?.close();
    await cluster?.stop();
  });

  it('passes before the installation', async () => {
    const { exitCode, stderr, find } = await check(...features);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(find('api-server')).toMatchObject([{ result: 'pass', found: expect.stringMatching(/^Kubernetes v1\./) }]);
    expect(find('permissions')).toMatchObject([{ found: 'you may do everything in this cluster' }]);
    expect(find('definitions')).toMatchObject([{ found: expect.stringContaining('are not there yet') }]);
    expect(find('webhooks')).toMatchObject([{ found: 'none yet: the program registers them when it runs' }]);
  });

  it('fails while no pod runs, and passes what a running program does', async () => {
    const installed = await supercargo('install', '--apply', ...features);
    expect(installed.exitCode, installed.stderr).toBe(0);
    const idle = await check();
    expect(idle.exitCode).toBe(1);
    expect(idle.failed.sort()).toEqual([
      'certificate supercargo-policies-webhook',
      'deployment supercargo-policies',
      'leases',
      'webhooks',
    ]);
    // In place of the pods, which no node runs.
    program = launchRun(cluster, {
      namespace: 'supercargo',
      features: ['admission', 'report'],
      webhook: {
        port: 0,
        exposure: 'loopback',
        removeOnStop: false,
        service: { name: 'supercargo-policies-webhook' },
      },
    });
    await eventually(async () => {
      const { failed, find } = await check('--as-installed');
      expect(failed).toEqual(['deployment supercargo-policies']);
      expect(find('webhook-call')).toMatchObject([{ found: 'the API server reaches our webhooks' }]);
      expect(find('leases')).toMatchObject([{ found: expect.stringMatching(/^held: admission by .*, report by /) }]);
      expect(find('permissions supercargo-policies')).toMatchObject([{ result: 'pass' }]);
      expect(find('certificate supercargo-policies-webhook')).toMatchObject([{ result: 'pass' }]);
      expect(find('definitions')).toMatchObject([{ result: 'pass' }]);
    }, slow);
  });

  it('names each part that is broken', async () => {
    const name = 'supercargo:supercargo:policies';
    const { body } = await api.get(`${roles}/${name}`);
    const rules = (body['rules'] as readonly { readonly resources: readonly string[] }[]).filter(
      ({ resources }) => !resources.includes('clusterpolicyreports'),
    );
    expect((await api.put(`${roles}/${name}`, { ...body, rules })).status).toBe(200);
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/policyexceptions.kyverno.io';
    expect((await api.delete(crd)).status).toBe(200);
    await program!.stop();
    program = undefined;
    await eventually(async () => {
      const { exitCode, find } = await check('--as-installed');
      expect(exitCode).toBe(1);
      expect(find('permissions supercargo-policies')).toMatchObject([
        { result: 'fail', found: expect.stringMatching(/^missing: .*policyreports/) },
      ]);
      expect(find('definitions')).toMatchObject([{ result: 'fail', found: 'missing: policyexceptions.kyverno.io' }]);
      expect(find('webhook-call')).toMatchObject([
        { result: 'fail', found: expect.stringMatching(/does not reach our webhooks: .*connection refused/) },
      ]);
      expect(find('leases')).toMatchObject([{ result: 'fail' }]);
    }, slow);
  });

  it('says what an account may not let it see', async () => {
    const token = await api.post('/api/v1/namespaces/supercargo/serviceaccounts/default/token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const { token: bearer } = token.body['status'] as { readonly token: string };
    const kubeconfig = writeKubeconfig(cluster, bearer);
    const { exitCode, find } = await check('--kubeconfig', kubeconfig, ...features);
    expect(exitCode).toBe(1);
    expect(find('permissions')).toMatchObject([{ result: 'fail' }]);
    expect(find('installation')).toMatchObject([
      { result: 'warn', found: 'not checked: this account may not list Deployments in namespace supercargo' },
    ]);
    expect(find('definitions')).toMatchObject([{ result: 'fail', found: expect.stringContaining('not served') }]);
    expect(find('webhooks')).toMatchObject([{ result: 'warn', found: expect.stringContaining('not checked') }]);
  });
});

/** The administrator's, for another token. */
function writeKubeconfig({ kubeconfigPath, token, directory }: RealCluster, other: string): string {
  const file = path.join(directory, 'limited');
  writeFileSync(file, readFileSync(kubeconfigPath, 'utf8').replace(token, other), { mode: 0o600 });
  return file;
}
