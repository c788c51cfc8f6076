/** `supercargo check` as users run it: against a cluster that works, and against some that do not. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runProgram } from '../support/program.ts';
import { eventually } from '../support/wait.ts';
import { useCluster } from './cluster.ts';

const cluster = useCluster(['--features', 'admission']);
const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const supercargo = (...args: readonly string[]) =>
  runProgram(args, { env: { KUBECONFIG: cluster.program.ready.kubeconfig } });

interface Line {
  readonly check: string;
  readonly result: string;
  readonly found: string;
}
const check = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await supercargo('check', '-o', 'json', ...args);
  expect(stderr).toBe('');
  const { result, checks } = JSON.parse(stdout) as { readonly result: string; readonly checks: readonly Line[] };
  return { exitCode, result, find: (name: string) => checks.filter((line) => line.check === name) };
};

describe('supercargo check', { timeout: 60_000 }, () => {
  it('passes where our webhooks answer, and shows their certificate', async () => {
    const { exitCode, stdout } = await supercargo('check', '--features', 'admission');
    expect(stdout).toMatch(/^RESULT +CHECK +FOUND\npass +api-server +Kubernetes v1\./);
    expect(stdout).toMatch(/\npass +permissions +you may do everything/);
    expect(stdout).toMatch(/\npass +webhook-call +the API server reaches our webhooks\n/);
    expect(stdout).toMatch(/\npass +certificate supercargo-webhook +valid until \d{4}-/);
    expect(exitCode).toBe(0);
  });

  it('fails where a webhook is called that is not there', async () => {
    const url = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const webhook = (clientConfig: object) => ({
      name: 'check.lost.svc',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      clientConfig,
      rules: [{ operations: ['CREATE'], apiGroups: ['lost.example'], apiVersions: ['v1'], resources: ['things'] }],
    });
    const metadata = { name: 'lost-policy-check', labels: { 'supercargo.dev/owner': 'lost' } };
    const service = { namespace: 'lost', name: 'lost-policies-webhook', port: 443, path: '/check' };
    const created = await cluster.api.post(url, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [webhook({ service })],
    });
    expect(created.status).toBe(201);
    const { exitCode, result, find } = await check('--installation', 'lost', '--namespace', 'lost');
    expect(exitCode).toBe(1);
    expect(result).toBe('fail');
    expect(find('webhooks')).toMatchObject([
      { result: 'fail', found: 'the Service lost/lost-policies-webhook does not exist' },
    ]);
  });

  it('fails where pods are ready but nobody leads', async () => {
    const place = ['--installation', 'images', '--namespace', 'images'];
    const before = await check(...place, '--features', 'detect');
    expect(before.find('installation')).toMatchObject([{ result: 'pass' }]);
    expect(before.exitCode).toBe(0);
    expect((await supercargo('install', '--apply', ...place, '--features', 'detect')).exitCode).toBe(0);
    await eventually(async () => {
      const { exitCode, find } = await check(...place, '--as-installed');
      expect(exitCode).toBe(1);
      expect(find('permissions images-automation')).toMatchObject([{ result: 'pass' }]);
      expect(find('deployment images-automation')).toMatchObject([{ result: 'pass' }]);
      expect(find('leases')).toMatchObject([{ result: 'fail', found: 'nobody has led any feature yet' }]);
    });
  });

  it('fails where the backup registry does not answer', async () => {
    const { exitCode, find } = await check('--features', 'mirror', '--backup-registry', '127.0.0.1:1/copies');
    expect(exitCode).toBe(1);
    expect(find('backup-registry')).toMatchObject([{ result: 'fail', found: expect.stringContaining('127.0.0.1:1') }]);
    const { registry } = cluster.program.ready;
    const answering = await check('--features', 'mirror', '--backup-registry', `${registry}/copies`);
    expect(answering.find('backup-registry')).toMatchObject([{ result: 'pass' }]);
  });

  it('ends with 5 where the cluster does not answer', async () => {
    const kubeconfig = path.join(folder, 'kubeconfig');
    const { url } = cluster.target;
    writeFileSync(
      kubeconfig,
      readFileSync(cluster.program.ready.kubeconfig, 'utf8').replaceAll(url, 'https://127.0.0.1:1'),
    );
    const { exitCode, stdout, stderr } = await supercargo('check', '--kubeconfig', kubeconfig);
    expect({ exitCode, stdout }).toEqual({ exitCode: 5, stdout: '' });
    expect(stderr).toMatch(/^supercargo: cannot reach the cluster /);
  });
});
