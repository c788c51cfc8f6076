import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { installManifests } from '../../src/app/install.ts';
import { readJobsConfig, runJobs } from '../../src/app/jobs.ts';
import { silentLogger } from '../../src/base/index.ts';
import { createInsightsFixture, type InsightsFixture } from '../integration/insights/fixture.ts';
import { defineJobsSuite } from '../integration/insights/jobs-suite.ts';
import { playKubelet } from '../integration/insights/kubelet.ts';
import { clusterPolicies, policy, yamlOf } from '../integration/insights/policies.ts';
import { manifests } from '../integration/insights/rbac.ts';
import { defineSyncSuite } from '../integration/insights/sync-suite.ts';
import { startRealCluster, whyNoCluster } from '../support/real-cluster.ts';

const missing = await whyNoCluster();

if (missing === undefined) {
  describe('a real API server', () => {
    defineSyncSuite(createInsightsFixture(() => startRealCluster()));
  });
  describe('a real control plane', () => {
    const fixture = createInsightsFixture(() => startRealCluster({ controllerManager: true }));
    let stopKubelet: (() => Promise<void>) | undefined;
    beforeAll(() => {
      stopKubelet = playKubelet(fixture.api);
    });
    afterAll(() => stopKubelet?.());
    defineJobsSuite(fixture);
    defineShippedManifests(fixture);
  });
} else {
  describe.skip(`a real cluster (${missing})`, () => it('syncs policies', () => {}));
}

function defineShippedManifests(fixture: InsightsFixture): void {
  describe('the manifests of policy sync', () => {
    it('are admitted, and their permissions are enough for the real authorizer', async () => {
      const parts = [{ name: 'insights', features: ['sync', 'jobs'] as const }];
      const place = { namespace: 'supercargo', installation: 'supercargo' };
      const installed = installManifests({ ...place, image: 'i', replicas: 1, parts }).filter(
        ({ kind }) => kind === 'ServiceAccount' || /Role(Binding)?$/.test(kind),
      );
      for (const manifest of [...manifests, ...installed]) {
        const type = (await fixture.connection.discovery.byKind(`${manifest.apiVersion}/${manifest.kind}`))!;
        const options = { fieldManager: 'test', fieldValidation: 'Strict' } as const;
        await fixture.connection.client.apply(type, manifest, options);
      }
      const account = (name: string) => `/api/v1/namespaces/supercargo/serviceaccounts/${name}/token`;
      const connectAs = async (name: string) => {
        const answer = await fixture.api.post(account(name), { spec: {} });
        const { token } = answer.body['status'] as { token: string };
        const file = path.join(fixture.folder, `${name}.kubeconfig`);
        const { url, caPem } = fixture.target;
        const cluster = { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
        const config = {
          clusters: [{ name: 'c', cluster }],
          users: [{ name: 'u', user: { token } }],
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'supercargo' } }],
          'current-context': 'x',
        };
        writeFileSync(file, JSON.stringify(config));
        const connection = await connect({ env: {}, kubeconfig: file, log: silentLogger });
        fixture.atEnd(() => connection.client.close());
        return connection;
      };

      const asSync = await connectAs('kyverno-policy-sync');
      await expect(asSync.client.list((await asSync.discovery.byKind('Secret'))!)).rejects.toThrow(/forbidden/);
      const sync = () => fixture.sync({}, { connection: asSync, namespace: 'supercargo' });
      fixture.insights.policies = yamlOf(policy('a'), policy('b', 'm', { namespace: 'team-a' }));
      expect((await sync()).closing).toMatchObject({ success: true, applied: ['a', 'Policy/team-a/b'] });
      fixture.insights.policies = yamlOf(policy('a', 'changed'));
      expect((await sync()).closing).toMatchObject({ success: true, updated: ['a'], removed: ['Policy/team-a/b'] });

      // The shipped CronJob would take the sync's place; here it is to run in process.
      await fixture.api.delete('/apis/batch/v1/namespaces/supercargo/cronjobs/kyverno-policy-sync');
      const containers = [{ name: 'c', image: 'i' }];
      const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
      await fixture.api.post('/apis/batch/v1/namespaces/supercargo/cronjobs', {
        metadata: { name: 'nova' },
        spec: { schedule: '@yearly', jobTemplate },
      });
      fixture.insights.policies = yamlOf(policy('on-demand'));
      for (const [id, reportType] of ['nova', 'nova', 'kyverno-policy-sync', 'unknown'].entries())
        fixture.insights.offer({ id, reportType });
      const env = fixture.insights.env;
      const common = {
        connection: await connectAs('supercargo-insights'),
        installation: 'supercargo',
        temporaryDir: fixture.folder,
      };
      const options = { ...common, config: readJobsConfig(env), env, log: silentLogger };
      expect(await runJobs(options, new AbortController().signal)).toEqual({ completed: 3, failed: 1, unreported: 0 });
      expect((await fixture.api.get(`${clusterPolicies}/on-demand`)).status).toBe(200);
    }, 60_000);
  });
}
