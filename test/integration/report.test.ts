import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { defineReportCases } from './report-cases.ts';
import {
  createReportFixture,
  linesOf,
  pod,
  type ReportFixture,
  type Running,
  requireLabel,
  types,
} from './report-fixture.ts';

describe('policy reports on the embedded cluster', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  let running: Running | undefined;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    for (const type of [types.clusterPolicy, types.policy, types.exception, types.pods, types.reports])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture.close();
    await cluster.stop();
  });
  const report = async (name: string) => (await fixture.reports())[name];

  defineReportCases(() => fixture);

  it('follow policies and pods', async () => {
    running = await fixture.start();
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(types.pods, pod('db', 'default'));
    await eventually(async () => {
      expect(linesOf(await report('default/polr-ns-default-app'))).toEqual([
        'Pod db: has-app fail',
        'Pod web: has-app pass',
      ]);
    });
    await fixture.remove(types.pods, 'db', 'default');
    await eventually(async () => {
      expect(linesOf(await report('default/polr-ns-default-app'))).toEqual(['Pod web: has-app pass']);
    });
    await fixture.remove(types.clusterPolicy, 'app');
    await eventually(async () => expect(await fixture.reports()).toEqual({}));
  });
});
