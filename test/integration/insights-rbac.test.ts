/** The shipped permissions are what sync and job runner ask for: all of it, and nothing beside it. */
import { describe, expect, test } from 'vitest';
import { jobsRules } from '../../src/app/install-rbac.ts';
import { readJobsConfig, runJobs } from '../../src/app/jobs.ts';
import { silentLogger } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createInsightsFixture } from './insights/fixture.ts';
import { collections, ofEveryKind, yamlOf } from './insights/policies.ts';
import { manifests } from './insights/rbac.ts';
import { allows, idleVerbs, type RecordedRequest, recording } from './permissions.ts';

const fixture = createInsightsFixture(() =>
  startEmbedded({ simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } }),
);

describe('the permissions in manifests/policy-sync and of the feature jobs', () => {
  test('are those that a sync and the job runner use', async () => {
    for (const manifest of manifests.filter(({ kind }) => kind === 'Namespace'))
      await fixture.api.post('/api/v1/namespaces', manifest);
    const requests: RecordedRequest[] = [];
    const client = recording(fixture.connection.client, requests);
    const connection = { ...fixture.connection, client };
    const env = { VALIDATE_POLICIES: 'false' };
    const sync = (options = {}) => fixture.sync({ ...env, ...options }, { connection, namespace: 'supercargo' });

    fixture.insights.policies = yamlOf(...ofEveryKind('first'));
    expect((await sync()).closing).toMatchObject({ success: true, failed: [] });
    fixture.insights.policies = yamlOf(...ofEveryKind('second'));
    expect((await sync()).closing).toMatchObject({ success: true, failed: [] });
    fixture.insights.policies = '';
    expect((await sync({ ALLOW_EMPTY: 'true' })).closing).toMatchObject({ success: true, failed: [] });

    const batch = '/apis/batch/v1/namespaces/supercargo/cronjobs';
    const template = (annotations = {}) => ({
      schedule: '@yearly',
      jobTemplate: {
        spec: {
          template: {
            metadata: { annotations },
            spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
          },
        },
      },
    });
    await fixture.api.post(batch, { metadata: { name: 'nova' }, spec: template() });
    await fixture.api.post(batch, {
      metadata: { name: 'falco' },
      spec: template({ 'supercargo.dev/simulate-duration': '5m' }),
    });
    const given = { ...fixture.insights.env, JOB_TYPES: 'nova,falco:1s,kyverno-policy-sync', ...env };
    for (const reportType of ['nova', 'nova', 'falco', 'falco', 'kyverno-policy-sync', 'unknown'])
      fixture.insights.offer({ id: reportType + fixture.insights.offered.length, reportType });
    const log = silentLogger;
    const common = {
      connection,
      namespace: 'supercargo',
      installation: 'supercargo',
      temporaryDir: fixture.folder,
      log,
    };
    await runJobs({ config: readJobsConfig(given), env: given, ...common }, new AbortController().signal);

    const rules = [...manifests.flatMap((manifest) => manifest.rules ?? []), ...jobsRules('supercargo')];
    const refused = requests.filter((request) => !rules.some((rule) => allows(rule, request)));
    expect(refused).toEqual([]);
    // Reading one policy is for conflicts and roll-backs, which other suites show.
    // The pod of a holder is read only by a sync that runs in a pod itself, or finds the Lease held by one.
    const isForConflicts = (right: string) => /^get .*kyverno\.io$/.test(right) || right === 'get pods.';
    expect(idleVerbs(rules, requests).filter((right) => !isForConflicts(right))).toEqual([]);
    const isOutside = (r: RecordedRequest) => !r.group.endsWith('kyverno.io') && r.namespace !== 'supercargo';
    expect(requests.filter(isOutside)).toEqual([]);
    expect(new Set(requests.map(({ resource }) => resource)).size).toBe(collections.length + 4);
  }, 60_000);
});
