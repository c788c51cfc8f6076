import { describe, expect, test } from 'vitest';
import { createOnDemandJobs, type JobsProgramOptions, readJobsConfig, runJobs } from '../../../src/app/jobs.ts';
import { createLogger } from '../../../src/base/index.ts';
import type { Body } from '../../support/http-client.ts';
import { eventually } from '../../support/wait.ts';
import type { InsightsFixture } from './fixture.ts';
import { clusterPolicies, policy, yamlOf } from './policies.ts';

const allTypes = [
  'trivy',
  'cloudcosts',
  'falco',
  'nova',
  'pluto',
  'polaris',
  'prometheus-metrics',
  'goldilocks',
  'rbac-reporter',
  'right-sizer',
  'workloads',
  'kube-hunter',
  'kube-bench',
  'kyverno',
  'kyverno-policy-sync',
  'gonogo',
  'image-trust',
];

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

interface CronJobOptions {
  readonly env?: readonly Variable[];
  /** Annotations of the pods: the simulated kubelet reads how long they run and how they end. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function defineJobsSuite(fixture: InsightsFixture): void {
  let counter = 0;
  /** A namespace for each test: Jobs and CronJobs of others are out of sight. */
  const setUp = async () => {
    const namespace = `jobs-${++counter}`;
    expect((await fixture.api.post('/api/v1/namespaces', { metadata: { name: namespace } })).status).toBe(201);
    await eventually(async () =>
      expect((await fixture.api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status).toBe(200),
    );
    const batch = `/apis/batch/v1/namespaces/${namespace}`;
    const cronJob = async (name: string, { env = [], annotations = {} }: CronJobOptions = {}) => {
      const containers = [{ name: 'main', image: 'example.test/report:1', env }];
      const answer = await fixture.api.post(`${batch}/cronjobs`, {
        metadata: { name },
        spec: {
          schedule: '0 0 1 1 *',
          suspend: true,
          jobTemplate: {
            metadata: { labels: { app: name } },
            spec: {
              backoffLimit: 0,
              template: { metadata: { annotations }, spec: { restartPolicy: 'Never', containers } },
            },
          },
        },
      });
      expect(answer.status, answer.text).toBe(201);
    };
    const options = (env: Readonly<Record<string, string>> = {}): JobsProgramOptions => {
      const given = { ...fixture.insights.env, PATH: process.env['PATH'] ?? '', ...env };
      return {
        config: readJobsConfig(given),
        connection: fixture.connection,
        env: given,
        namespace,
        installation: 'suite',
        temporaryDir: fixture.folder,
        log: createLogger({
          level: 'debug',
          destination: { write: (text: string) => void fixture.printed.push(text) },
        }),
      };
    };
    return {
      namespace,
      batch,
      cronJob,
      options,
      jobs: async () => (await fixture.api.get(`${batch}/jobs`)).body.items,
      ledger: async () =>
        (await fixture.api.get(`/api/v1/namespaces/${namespace}/configmaps/suite-on-demand-jobs`)).body,
      run: (env: Readonly<Record<string, string>> = {}, signal = new AbortController().signal) =>
        runJobs(options(env), signal),
    };
  };
  const reportsOf = (id: number | string) =>
    fixture.insights.jobReports.filter((line) => line.startsWith(`${id} `)).map((line) => line.split(' ')[1]);
  const environment = (job: Body): readonly Variable[] => {
    const { template } = job.spec as { template: { spec: { containers: readonly { env: readonly Variable[] }[] } } };
    return template.spec.containers[0]!.env;
  };
  const logged = (text: RegExp) => expect(fixture.printed.join('')).toMatch(text);

  describe('on-demand jobs', () => {
    test('of all types run once each, from their CronJobs, with their options as variables', async () => {
      const { cronJob, run, jobs } = await setUp();
      for (const type of allTypes) await cronJob(type, { env: [{ name: 'KEEP', value: '1' }] });
      for (const [i, type] of allTypes.entries())
        fixture.insights.offer({ id: 100 + i, reportType: type, options: { imagesToScan: `image-${i}` } });
      expect(await run({ MAX_CONCURRENT_JOBS: '17' })).toEqual({ completed: 17, failed: 0, unreported: 0 });
      expect(fixture.insights.requestsTo('/claim')[0]).toMatchObject({
        method: 'POST',
        path: '/v0/organizations/acme/clusters/local/reports/on-demand-jobs/claim?limit=17',
      });
      const found = await jobs();
      expect(found).toHaveLength(17);
      for (const [i, type] of allTypes.entries()) {
        const id = 100 + i;
        const mine = found.filter(({ metadata }) => metadata.labels['supercargo.dev/on-demand-job-id'] === String(id));
        expect(mine).toHaveLength(1);
        const [job] = mine as [Body];
        expect(job.metadata.name).toMatch(new RegExp(`^${type}-${id}-[a-z0-9]{5}$`));
        expect(job.metadata.labels).toMatchObject({
          app: type,
          'supercargo.dev/owner': 'suite',
          'supercargo.dev/on-demand-job-type': type,
        });
        expect(environment(job)).toEqual([
          { name: 'KEEP', value: '1' },
          { name: 'IMAGES_TO_SCAN', value: `image-${i}` },
        ]);
        const minutes = type === 'trivy' || type === 'image-trust' ? 20 : type === 'kyverno-policy-sync' ? 10 : 5;
        expect(job.spec).toMatchObject({ activeDeadlineSeconds: minutes * 60, ttlSecondsAfterFinished: 600 });
        expect(reportsOf(id)).toEqual(['running', 'completed']);
      }
    }, 60_000);

    test('are claimed only as far as they can run', async () => {
      const { cronJob, run } = await setUp();
      await cronJob('nova');
      for (const id of [1, 2, 3, 4]) fixture.insights.offer({ id, reportType: 'nova' });
      await run({ MAX_CONCURRENT_JOBS: '2' });
      expect(fixture.insights.requestsTo('/claim').map(({ path }) => path.split('?')[1])).toEqual(['limit=2']);
      expect(fixture.insights.offered.map(({ id }) => id)).toEqual([3, 4]);
    }, 60_000);

    test('that cannot be run are reported failed, and the log says why', async () => {
      const { cronJob, run, jobs } = await setUp();
      await cronJob('polaris', { annotations: { 'supercargo.dev/simulate': 'fail' } });
      await cronJob('pluto');
      fixture.insights.offer({ id: 1, reportType: 'crystal-ball' });
      fixture.insights.offer({ id: 2, reportType: 'trivy' });
      fixture.insights.offer({ id: 3, reportType: 'polaris' });
      fixture.insights.offer({ id: 4, reportType: 'pluto', options: { aB: '1', a_b: '2' } });
      expect(await run()).toEqual({ completed: 0, failed: 4, unreported: 0 });
      expect([1, 2, 3, 4].map(reportsOf)).toEqual([['failed'], ['failed'], ['running', 'failed'], ['failed']]);
      logged(/the type \\"crystal-ball\\" is unknown here/);
      logged(/there is no CronJob trivy in namespace jobs-/);
      logged(/BackoffLimitExceeded/);
      logged(/two options are both A_B/);
      expect(await jobs()).toHaveLength(1);
    }, 60_000);

    test('that take too long are deleted and reported failed', async () => {
      const { cronJob, run, jobs, namespace, ledger } = await setUp();
      await cronJob('falco', { annotations: { 'supercargo.dev/simulate-duration': '10m' } });
      fixture.insights.offer({ id: 7, reportType: 'falco' });
      expect(await run({ JOB_TYPES: 'falco:1s' })).toMatchObject({ failed: 1 });
      expect(reportsOf(7).at(-1)).toBe('failed');
      logged(/it did not end within 1s/);
      await eventually(async () => {
        expect(await jobs()).toEqual([]);
        expect((await fixture.api.get(`/api/v1/namespaces/${namespace}/pods`)).body.items).toEqual([]);
      });
      expect((await ledger())['data'] ?? {}).toEqual({});
    }, 60_000);

    test('of one type wait for each other, in the cluster, and different types do not', async () => {
      const { cronJob, run, jobs } = await setUp();
      await cronJob('goldilocks', { annotations: { 'supercargo.dev/simulate-duration': '2s' } });
      await cronJob('workloads');
      fixture.insights.offer({ id: 1, reportType: 'goldilocks' });
      fixture.insights.offer({ id: 2, reportType: 'goldilocks' });
      fixture.insights.offer({ id: 3, reportType: 'workloads' });
      const running = run();
      const byId = async (id: number) =>
        (await jobs()).find(({ metadata }) => metadata.labels['supercargo.dev/on-demand-job-id'] === String(id))!;
      await eventually(async () => expect((await byId(2)).spec).toMatchObject({ suspend: true }));
      await eventually(() => expect(reportsOf(3)).toEqual(['running', 'completed']));
      expect(await running).toEqual({ completed: 3, failed: 0, unreported: 0 });
      const order = fixture.insights.jobReports.filter((line) => !line.startsWith('3 '));
      expect(order.indexOf('2 running')).toBeGreaterThan(-1);
      const [first, second] = [await byId(1), await byId(2)].map(
        ({ status }) => status as { startTime: string; completionTime: string },
      );
      expect(Date.parse(second!.startTime)).toBeGreaterThanOrEqual(Date.parse(first!.completionTime));
    }, 60_000);

    test('that wait for another of their type leave room for other types, and run in the order of their claims', async () => {
      const { cronJob, options } = await setUp();
      await cronJob('goldilocks', { annotations: { 'supercargo.dev/simulate-duration': '1s' } });
      await cronJob('workloads');
      for (const id of [1, 2, 3]) fixture.insights.offer({ id, reportType: 'goldilocks' });
      for (const id of [4, 5]) fixture.insights.offer({ id, reportType: 'workloads' });
      const stop = new AbortController();
      const polling = createOnDemandJobs(options({ POLL_INTERVAL: '1s', MAX_CONCURRENT_JOBS: '3' })).run(stop.signal);
      await eventually(
        () => expect(fixture.insights.jobReports.filter((line) => line.endsWith('completed'))).toHaveLength(5),
        { timeoutMs: 30_000 },
      );
      stop.abort();
      await polling;
      const ended = fixture.insights.jobReports.filter((line) => line.endsWith('completed'));
      expect(ended.filter((line) => /^[123] /.test(line))).toEqual(['1 completed', '2 completed', '3 completed']);
      expect(ended.indexOf('4 completed')).toBeLessThan(ended.indexOf('3 completed'));
    }, 60_000);

    test('cannot set what is protected, nor read what is secret', async () => {
      const { cronJob, run, jobs } = await setUp();
      const secret = { secretKeyRef: { name: 's', key: 'k', optional: true } };
      await cronJob('kube-bench', {
        env: [
          { name: 'B', value: 'own' },
          { name: 'PASSWORD', valueFrom: secret },
          { name: 'A', value: 'own' },
          { name: 'PATH', value: '/own' },
        ],
      });
      fixture.insights.offer({
        id: 1,
        reportType: 'kube-bench',
        options: {
          zulu: true,
          a: 'new',
          password: 'mine',
          path: '/evil',
          LD_PRELOAD: '/evil.so',
          fairwindsInsightsHost: 'https://evil.test',
          nodeOptions: '--require=/evil',
          mike: '$(PASSWORD)',
          list: [1, 'x'],
        },
      });
      await run();
      expect(environment((await jobs())[0]!)).toEqual([
        { name: 'B', value: 'own' },
        { name: 'PASSWORD', valueFrom: secret },
        { name: 'A', value: 'new' },
        { name: 'PATH', value: '/own' },
        { name: 'LIST', value: '[1,"x"]' },
        { name: 'MIKE', value: '$$(PASSWORD)' },
        { name: 'ZULU', value: 'true' },
      ]);
      logged(/"variables":\["FAIRWINDS_INSIGHTS_HOST","LD_PRELOAD","NODE_OPTIONS","PATH"\]/);
    }, 60_000);

    test('that ran while the runner was away are found again and reported', async () => {
      const { cronJob, run, jobs } = await setUp();
      await cronJob('right-sizer', { annotations: { 'supercargo.dev/simulate-duration': '1s' } });
      fixture.insights.offer({ id: 1, reportType: 'right-sizer' });
      fixture.insights.offer({ id: 2, reportType: 'right-sizer' });
      const stop = new AbortController();
      const first = run({}, stop.signal);
      await eventually(async () => {
        expect(reportsOf(1)).toEqual(['running']);
        expect(await jobs()).toHaveLength(2);
      });
      stop.abort(new Error('killed'));
      await expect(first).rejects.toThrow('killed');
      expect(await run()).toEqual({ completed: 2, failed: 0, unreported: 0 });
      expect(reportsOf(1)).toEqual(['running', 'running', 'completed']);
      expect(reportsOf(2)).toEqual(['running', 'completed']);
      expect(await jobs()).toHaveLength(2);
      // And what is reported is not reported again.
      expect(await run()).toEqual({ completed: 0, failed: 0, unreported: 0 });
    }, 60_000);

    test('are reported as soon as Insights is back, also by the next runner', async () => {
      const { cronJob, options, jobs, ledger } = await setUp();
      await cronJob('gonogo');
      fixture.insights.offer({ id: 1, reportType: 'gonogo' });
      fixture.insights.offer({ id: 2, reportType: 'unheard-of' });
      fixture.insights.failForever('/status', { status: 503, headers: { 'retry-after': '0' } });
      const stop = new AbortController();
      const polling = createOnDemandJobs(options()).run(stop.signal);
      await eventually(async () => {
        expect((await jobs())[0]?.['status']).toMatchObject({
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Complete' })]),
        });
        expect(Object.keys((await ledger())['data'] as object)).toEqual(['2']);
      });
      expect((await jobs())[0]?.spec).toMatchObject({ ttlSecondsAfterFinished: 86_400 });
      stop.abort(new Error('killed'));
      await polling;
      expect(fixture.insights.jobReports).toEqual([]);
      const next = new AbortController();
      const again = createOnDemandJobs(options()).run(next.signal);
      await eventually(() => expect(fixture.insights.requestsTo('/status').length).toBeGreaterThan(8));
      fixture.insights.heal();
      await eventually(
        async () => {
          expect([...fixture.insights.jobReports].sort().filter((line) => !line.endsWith('running'))).toEqual([
            '1 completed',
            '2 failed',
          ]);
          expect((await jobs())[0]?.spec).toMatchObject({ ttlSecondsAfterFinished: 600 });
          expect((await ledger())['data'] ?? {}).toEqual({});
        },
        { timeoutMs: 20_000 },
      );
      next.abort();
      await again;
    }, 60_000);

    test('are looked for again and again while the program runs, also after a failure', async () => {
      const { cronJob, options } = await setUp();
      await cronJob('nova');
      const stop = new AbortController();
      fixture.insights.fail('/claim', { status: 500 });
      const polling = createOnDemandJobs(options({ POLL_INTERVAL: '1s' })).run(stop.signal);
      await eventually(() => expect(fixture.insights.requestsTo('/claim').length).toBeGreaterThan(1));
      fixture.insights.offer({ id: 5, reportType: 'nova' });
      await eventually(() => expect(reportsOf(5)).toEqual(['running', 'completed']), { timeoutMs: 30_000 });
      stop.abort();
      await polling;
    }, 60_000);
  });

  describe('a policy sync on demand', () => {
    test('runs inside the program where there is no CronJob for it', async () => {
      const { run, jobs, ledger } = await setUp();
      fixture.insights.policies = yamlOf(policy('on-demand'));
      fixture.insights.offer({ id: 1, reportType: 'kyverno-policy-sync', options: { dryRun: true } });
      expect(await run()).toMatchObject({ completed: 1 });
      expect((await fixture.api.get(`${clusterPolicies}/on-demand`)).status).toBe(404);
      fixture.insights.offer({ id: 2, reportType: 'kyverno-policy-sync', options: { allowEmpty: true } });
      expect(await run()).toMatchObject({ completed: 1 });
      expect((await fixture.api.get(`${clusterPolicies}/on-demand`)).status).toBe(200);
      expect(reportsOf(2)).toEqual(['running', 'completed']);
      expect(await jobs()).toEqual([]);
      expect((await ledger())['data'] ?? {}).toEqual({});
      // What only the operator may allow cannot be asked for from outside.
      fixture.insights.policies = '';
      fixture.insights.offer({ id: 3, reportType: 'kyverno-policy-sync', options: { allowEmpty: true } });
      expect(await run()).toMatchObject({ failed: 1 });
      expect((await fixture.api.get(`${clusterPolicies}/on-demand`)).status).toBe(200);
      logged(/the sync failed: sync: Insights returned no policy at all/);
    });

    test('waits for a sync that is under way', async () => {
      const { run, namespace } = await setUp();
      const now = String((await fixture.api.get('/version')).headers['date']);
      const renewTime = new Date(Date.parse(now)).toISOString().replace('Z', '000Z');
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
      const lock = 'kyverno-policy-sync-lock';
      const spec = { holderIdentity: 'another', leaseDurationSeconds: 1800, renewTime };
      expect((await fixture.api.post(leases, { metadata: { name: lock }, spec })).status).toBe(201);
      fixture.insights.policies = yamlOf(policy('patient'));
      fixture.insights.offer({ id: 4, reportType: 'kyverno-policy-sync' });
      const running = run();
      await eventually(() => expect(reportsOf(4)).toEqual(['running']));
      await fixture.api.delete(`${leases}/${lock}`);
      expect(await running).toMatchObject({ completed: 1 });
      expect((await fixture.api.get(`${clusterPolicies}/patient`)).status).toBe(200);
    });

    test('is done again when the program ended in the middle of it', async () => {
      const { run, namespace } = await setUp();
      await fixture.api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name: 'suite-on-demand-jobs', labels: { 'supercargo.dev/owner': 'suite' } },
        data: { '9': '{"id":"9","reportType":"kyverno-policy-sync"}' },
      });
      fixture.insights.policies = yamlOf(policy('repaired'));
      expect(await run()).toMatchObject({ completed: 1 });
      expect(reportsOf(9)).toEqual(['running', 'completed']);
      expect((await fixture.api.get(`${clusterPolicies}/repaired`)).status).toBe(200);
    });

    test('does not change a ConfigMap of another owner, and reports it', async () => {
      const { run, namespace, ledger } = await setUp();
      const data = { mine: 'own' };
      await fixture.api.post(`/api/v1/namespaces/${namespace}/configmaps`, {
        metadata: { name: 'suite-on-demand-jobs' },
        data,
      });
      await expect(run()).rejects.toThrow(/suite-on-demand-jobs is not ours/);
      expect((await ledger())['data']).toEqual(data);
    });
  });
}
