import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceType } from '../../src/kube/index.ts';
import type { OnReportProblem } from '../../src/report/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { withoutRights } from './faulty-client.ts';
import {
  createReportFixture,
  linesOf,
  pod,
  type ReportFixture,
  type Running,
  requireLabel,
  types,
} from './report-fixture.ts';

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const secret = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  data: {},
});

describe('reports on kinds that may not be listed', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  let running: Running | undefined;
  let mayList = false;
  const problems = new Map<string, string>();
  const onProblem: OnReportProblem = (policy, problem) => {
    if (problem) problems.set(policy, `${problem.reason}: ${problem.message}`);
    else problems.delete(policy);
  };
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    mayList = false;
    for (const type of [types.clusterPolicy, types.pods, secrets, types.reports])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture.close();
    await cluster.stop();
  });

  const start = (isSplit = true) => {
    const faulty = withoutRights(fixture.client, ({ resource }) => resource === 'secrets' && !mayList);
    return fixture.start({ client: faulty, onProblem, isSplit });
  };
  const linesIn = async (name: string) => linesOf((await fixture.reports())[`default/${name}`]);
  const onSecrets = (label: string, kinds = ['Secret']) => requireLabel('secret', [{ name: 'rule', label }], { kinds });

  it('cost the policies of that kind only, and end when the right is granted', async () => {
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(secrets, secret('key'));
    running = await start();
    await fixture.put(types.clusterPolicy, onSecrets('app'));
    await eventually(async () =>
      expect(problems.get('secret')).toBe(
        'MissingPermission: reports lack v1/secrets: grant list and watch to the service account',
      ),
    );
    // An edit asks for a rescan of the kind that has never been listed.
    await fixture.put(types.clusterPolicy, onSecrets('team'));
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    await eventually(async () => expect(await linesIn('polr-ns-default-app')).toEqual(['Pod web: has-app pass']));
    // Policies that change later are rescanned as well.
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-tier', label: 'tier' }]));
    await eventually(async () => expect(await linesIn('polr-ns-default-app')).toEqual(['Pod web: has-tier fail']));
    await running.settled();
    mayList = true;
    await eventually(
      async () => {
        expect(await linesIn('polr-ns-default-secret')).toEqual(['Secret key: rule fail']);
        expect(problems.size).toBe(0);
      },
      { timeoutMs: 40_000 },
    );
  });

  it('leave what the same policy says of other kinds in its report', async () => {
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(types.clusterPolicy, onSecrets('app', ['Secret', 'Pod']));
    running = await start();
    await eventually(async () => expect(await linesIn('polr-ns-default-secret')).toEqual(['Pod web: rule pass']));
    expect(problems.get('secret')).toContain('v1/secrets');
    await fixture.remove(types.clusterPolicy, 'secret');
    await eventually(async () => {
      expect(problems.size).toBe(0);
      expect(await fixture.reports()).toEqual({});
    });
  });

  it('do not hold back reports that are not split by policy', async () => {
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(types.clusterPolicy, onSecrets('app'));
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    running = await start(false);
    await eventually(async () => expect(await linesIn('polr-ns-default')).toEqual(['Pod web: has-app pass']));
  });
});
