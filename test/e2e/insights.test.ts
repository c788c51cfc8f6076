/** Sync and jobs as users run them: the built program in its own process, also when it is killed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clusterPolicies, definitions, policy, yamlOf } from '../integration/insights/policies.ts';
import { type InsightsServer, startInsightsServer } from '../support/insights-server.ts';
import { launch, type Run, type Running, runProgram } from '../support/program.ts';
import { eventually } from '../support/wait.ts';
import { startWebhookServer, type WebhookServer } from '../support/webhook-server.ts';
import { useCluster } from './cluster.ts';

const token = 'very-secret-token-4711';
const cluster = useCluster(['--features', 'none']);
const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-insights-e2e-'));
let insights: InsightsServer;

beforeAll(async () => {
  for (const definition of definitions)
    await cluster.api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await eventually(async () => expect((await cluster.api.get(clusterPolicies)).status).toBe(200));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  insights = await startInsightsServer({ token });
  for (const { metadata } of (await cluster.api.get(clusterPolicies)).body.items)
    await cluster.api.delete(`${clusterPolicies}/${metadata.name}`);
});
afterEach(() => insights.stop());

const environment = (env: Readonly<Record<string, string>> = {}) => ({
  ...insights.env,
  KUBECONFIG: cluster.program.ready.kubeconfig,
  LOCK_FILE: path.join(folder, 'sync.lock'),
  LOG_LEVEL: 'debug',
  ...env,
});
const names = async () => (await cluster.api.get(clusterPolicies)).body.items.map(({ metadata }) => metadata.name);
const checked = (run: Run): Run => {
  expect(run.stdout + run.stderr).not.toContain(token);
  return run;
};
const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  checked(await runProgram(args, { env: environment(env) }));
const closing = ({ stdout }: Run) => JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Record<string, unknown>;
const kill = async (program: Running) => {
  await program.kill9();
  expect(program.stdout() + program.stderr()).not.toContain(token);
};

it.each(['policy-sync', 'image-resource-controller'])(
  'kubectl applies the folder manifests/%s in one go to a cluster that has nothing of it',
  async (name) => {
    const applied = await run(['kubectl', 'apply', '-f', path.resolve('manifests', name)]);
    expect(applied.exitCode, applied.stderr).toBe(0);
    const again = await run(['kubectl', 'apply', '-f', path.resolve('manifests', name)]);
    expect(again.stdout).not.toContain('created');
  },
  60_000,
);

describe('supercargo sync', { timeout: 60_000 }, () => {
  it('syncs, prints the closing line exactly as it is documented, and writes nothing the second time', async () => {
    insights.policies = yamlOf(policy('one'), policy('two'));
    const first = await run(['sync']);
    expect(first.exitCode, first.stderr).toBe(0);
    expect(first.stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^\{"level":"info","msg":"Policy sync completed","success":true,"duration":"\d+\.\ds","summary":"Applied 2, Updated 0, Removed 0, Failed 0","applied":\["one","two"\],"updated":\[\],"removed":\[\],"failed":\[\],"rolledBack":\[\],"dryRun":false\}$/,
    );
    expect(closing(await run(['sync']))).toMatchObject({ summary: 'Applied 0, Updated 0, Removed 0, Failed 0' });
  });

  it('is what the program does without arguments when JOB_TYPE says so', async () => {
    insights.policies = yamlOf(policy('by-job-type'));
    expect((await run([], { JOB_TYPE: 'kyverno-policy-sync' })).exitCode).toBe(0);
    expect(await names()).toEqual(['by-job-type']);
    const wrong = await run([], { JOB_TYPE: 'polish' });
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      'supercargo: JOB_TYPE must be kyverno-policy-sync, not "polish"\n',
    ]);
  });

  it('shows a readable plan with --dry-run and changes nothing', async () => {
    insights.policies = yamlOf(policy('planned'));
    const { stdout, exitCode } = await run(['sync', '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^would apply ClusterPolicy planned\n\+ apiVersion: kyverno.io\/v1\n/);
    expect(await names()).toEqual([]);
  });

  it('names everything that is wrong with its environment in one line, and ends with 2', async () => {
    const env = {
      FAIRWINDS_INSIGHTS_HOST: 'http://insights.example.com',
      FAIRWINDS_ORG: '',
      DRY_RUN: 'maybe',
      LOCK_TIMEOUT: 'soon',
      LOG_LEVEL: 'loud',
    };
    const { exitCode, stderr, stdout } = await run(['sync'], env);
    expect([exitCode, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    for (const name of ['FAIRWINDS_INSIGHTS_HOST', 'FAIRWINDS_ORG', 'DRY_RUN', 'LOCK_TIMEOUT', 'LOG_LEVEL'])
      expect(stderr).toContain(name);
  });

  it('prints the closing line also where no cluster answers', async () => {
    const kubeconfig = path.join(folder, 'nowhere');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a' } }],
        clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:9' } }],
      }),
    );
    for (const KUBECONFIG of [kubeconfig, path.join(folder, 'missing')]) {
      const failed = await run(['sync'], { KUBECONFIG });
      expect(failed.exitCode).not.toBe(0);
      expect(closing(failed)).toMatchObject({
        msg: 'Policy sync completed',
        success: false,
        failed: [expect.stringMatching(/^sync: /)],
      });
    }
  });

  it('ends with 1 when it failed, and says why', async () => {
    insights.failForever('/kyverno-policies/', { status: 401, body: `no ${token}` });
    const failed = await run(['sync']);
    expect(failed.exitCode).toBe(1);
    expect(closing(failed)['failed']).toEqual([expect.stringContaining('renew FAIRWINDS_TOKEN')]);
  });

  describe('with a hook that holds the seventh policy', () => {
    const configuration = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    let hook: WebhookServer;
    let isHolding = true;
    beforeEach(async () => {
      isHolding = true;
      hook = await startWebhookServer(async ({ name, dryRun, operation }) => {
        if (name === 'p6' && !dryRun && operation === 'CREATE')
          await eventually(() => expect(isHolding).toBe(false), { timeoutMs: 20_000 });
        return {};
      });
      const rules = [{ apiGroups: ['kyverno.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }];
      const clientConfig = { url: `${hook.url}/`, caBundle: hook.caBundle };
      const more = { admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 30 };
      await cluster.api.post(configuration, {
        metadata: { name: 'hold' },
        webhooks: [{ name: 'hold.insights.test', clientConfig, rules, ...more }],
      });
      insights.policies = yamlOf(...Array.from({ length: 10 }, (_, i) => policy(`p${i}`)));
    });
    afterEach(async () => {
      isHolding = false;
      await cluster.api.delete(`${configuration}/hold`);
      await hook.close();
    });
    const halfway = async (args: readonly string[] = ['sync']) => {
      const program = launch(args, { env: environment() });
      await program.until((stdout) => (stdout.includes('"policy":"p5"') ? true : undefined));
      return program;
    };

    it('repairs in the next run what a killed one left, and takes over its lock at once', async () => {
      await kill(await halfway());
      isHolding = false;
      expect((await names()).length).toBeLessThan(10);
      const next = await run(['sync']);
      expect(next.exitCode, next.stderr).toBe(0);
      expect(await names()).toHaveLength(10);
      expect(closing(await run(['sync']))).toMatchObject({ applied: [], updated: [], removed: [] });
    });

    it('ends with 4 and names holder and lock while another one runs', async () => {
      const first = await halfway();
      const second = await run(['sync']);
      expect(second.exitCode).toBe(4);
      expect(closing(second)).toMatchObject({ success: false, applied: [], updated: [], removed: [] });
      expect(second.stderr).toContain(`held by process ${first.pid} on ${hostname()}`);
      expect(second.stderr).toContain(`lock file ${path.join(folder, 'sync.lock')}`);
      isHolding = false;
      expect((await first.exited).code).toBe(0);
    });

    it('puts everything back when it is asked to stop', async () => {
      const program = await halfway();
      program.signal('SIGTERM');
      await eventually(async () => expect(await names()).toEqual([]));
      expect((await program.exited).code).toBe(1);
    });

    it('holds a Lease with --lock, and takes over the Lease of a killed holder at once', async () => {
      const lease = ['sync', '--lock', 'lease', '--namespace', 'default'];
      const first = await halfway(lease);
      const held = await run(lease);
      expect(held.exitCode).toBe(4);
      expect(held.stderr).toContain('Lease default/kyverno-policy-sync-lock');
      await kill(first);
      isHolding = false;
      expect(await run(lease)).toMatchObject({ exitCode: 0 });
      expect(await names()).toHaveLength(10);
    });
  });
});

describe('supercargo jobs', { timeout: 60_000 }, () => {
  it('takes up the jobs of a killed run and reports them', async () => {
    const containers = [{ name: 'c', image: 'i' }];
    const annotations = { 'supercargo.dev/simulate-duration': '3s' };
    await cluster.api.post('/apis/batch/v1/namespaces/default/cronjobs', {
      metadata: { name: 'trivy' },
      spec: {
        schedule: '@yearly',
        jobTemplate: {
          spec: { template: { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } } },
        },
      },
    });
    insights.offer({ id: 1, reportType: 'trivy' });
    insights.offer({ id: 2, reportType: 'trivy' });
    const first = launch(['jobs'], { env: environment() });
    await eventually(async () => {
      expect(insights.jobReports).toContain('1 running');
      expect((await cluster.api.get('/apis/batch/v1/namespaces/default/jobs')).body.items).toHaveLength(2);
    });
    await kill(first);
    const second = await run(['jobs']);
    expect([second.exitCode, second.stdout]).toEqual([0, '2 completed, 0 failed, 0 not reported\n']);
    expect(insights.jobReports.filter((line) => line.endsWith('completed'))).toEqual(['1 completed', '2 completed']);
    insights.offer({ id: 3, reportType: 'unheard-of' });
    const third = await run(['jobs']);
    expect([third.exitCode, third.stdout]).toEqual([1, '0 completed, 1 failed, 0 not reported\n']);
  });
});

describe('supercargo run', { timeout: 60_000 }, () => {
  const led = async (program: Running) => {
    await program.until((_, stderr) => (stderr.includes('Started leading') ? true : undefined));
    return program;
  };

  it('syncs at once and again, and runs jobs, as features of the leader', async () => {
    const config = path.join(folder, 'config.yaml');
    writeFileSync(config, 'features: [sync, jobs]\nserver: {port: 0}\nnamespace: default\n');
    insights.policies = yamlOf(policy('by-run'));
    insights.offer({ id: 77, reportType: 'kyverno-policy-sync' });
    const env = environment({ SYNC_INTERVAL: '1s', POLL_INTERVAL: '1s' });
    const program = launch(['run', '--config', config], { env });
    try {
      await eventually(async () => expect(await names()).toEqual(['by-run']), { timeoutMs: 20_000 });
      await eventually(() => expect(insights.jobReports.at(-1)).toMatch(/^77 (completed|failed)$/), {
        timeoutMs: 20_000,
      });
      await cluster.api.delete(`${clusterPolicies}/by-run`);
      await eventually(async () => expect(await names()).toEqual(['by-run']), { timeoutMs: 20_000 });
      expect(program.stderr()).toContain('"msg":"Policy sync completed"');
    } finally {
      expect((await program.stop()).code).toBe(0);
    }
    expect(program.stdout() + program.stderr()).not.toContain(token);
  });

  it('leads again at once when its container was killed, by the UID of its pod', async () => {
    const config = path.join(folder, 'restarted.yaml');
    writeFileSync(
      config,
      'features: [sync]\nserver: {port: 0}\nnamespace: default\ninstallation: restarted\n' +
        'leaderElection: {leaseDuration: 120s, renewDeadline: 60s, retryPeriod: 1s}\n',
    );
    const leaseSpec = async () =>
      (await cluster.api.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/restarted-sync')).body
        .spec as Record<'holderIdentity' | 'renewTime' | 'acquireTime', string>;
    const start = (uid: string) =>
      launch(['run', '--config', config], { env: environment({ POD_NAME: 'supercargo-0', POD_UID: uid }) });
    insights.policies = yamlOf(policy('by-restarted'));
    await kill(await led(start('11')));
    const { holderIdentity: killed, renewTime } = await leaseSpec();
    // Another pod of the same name waits, although it is ready.
    const other = start('22');
    await other.until((_, stderr) => (stderr.includes('New leader') ? true : undefined));
    const again = await led(start('11'));
    const { holderIdentity: holder, acquireTime } = await leaseSpec();
    expect([killed, holder]).toEqual([expect.stringMatching(/_11_/), expect.stringMatching(/_11_/)]);
    expect(holder).not.toBe(killed);
    expect(Date.parse(acquireTime) - Date.parse(renewTime)).toBeLessThan(120_000);
    expect(other.stderr()).not.toContain('Started leading');
    await Promise.all([again.stop(), other.kill9()]);
  });

  it('says what is missing from its environment before it begins', async () => {
    const { exitCode, stderr } = await run(['run', '--features', 'jobs', '--namespace', 'home'], {
      FAIRWINDS_TOKEN: '',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('FAIRWINDS_TOKEN is not set');
  });
});
