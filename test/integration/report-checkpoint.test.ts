import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { createReportMetrics, type ReporterOptions } from '../../src/report/index.ts';
import { unreadMetrics } from '../support/controller-metrics.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { createReportFixture, pod, type ReportFixture, requireLabel, resultsOf, types } from './report-fixture.ts';

describe('the checkpoint of reports', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  let folder: string;
  let checkpoint: NonNullable<ReporterOptions['checkpoint']>;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'supercargo-checkpoint-'));
    checkpoint = { path: join(folder, 'checkpoint'), program: 'a' };
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    await fixture.put(types.clusterPolicy, requireLabel('owner', [{ name: 'has-owner', label: 'owner' }]));
    for (const name of ['one', 'two', 'three'])
      await fixture.put(types.pods, pod(name, 'default', { labels: { app: name } }));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    for (const type of [types.clusterPolicy, types.exception, types.pods, types.configMaps, types.reports])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture.close();
    await cluster.stop();
  });

  /** Runs a reporter until it is at rest: how many evaluations and writes that took, and what reports say then. */
  async function run(options: Partial<ReporterOptions> = {}) {
    const registry = new Registry();
    const running = await fixture.start({
      checkpoint,
      metrics: (gauges) => createReportMetrics(registry, unreadMetrics().forQueue('report'), gauges),
      ...options,
    });
    await running.settled();
    const count = async (name: string) => {
      const { values } = await registry.getSingleMetric(name)!.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    const [evaluations, writes] = [
      await count('supercargo_report_evaluations_total'),
      await count('supercargo_report_writes_total'),
    ];
    await running.stop();
    return { evaluations, writes, said: await said() };
  }

  async function said(): Promise<Record<string, unknown>> {
    const withoutTime = (report: KubeObject) => resultsOf(report).map(({ timestamp: _, ...result }) => result);
    return Object.fromEntries(
      Object.entries(await fixture.reports()).map(([name, report]) => [name, withoutTime(report)]),
    );
  }

  /** Starts with the checkpoint; what it leads to must be what a start without one leads to. */
  async function restart(): Promise<number> {
    const { evaluations, said: withCheckpoint } = await run();
    const anew = await run({ checkpoint: undefined });
    expect(withCheckpoint).toEqual(anew.said);
    expect(anew.writes).toBe(0);
    return evaluations;
  }

  it('spares the evaluation of what has not changed, also after many restarts', async () => {
    expect(await run()).toMatchObject({ evaluations: 6 });
    for (let i = 0; i < 3; i++) expect(await run()).toMatchObject({ evaluations: 0, writes: 0 });
  });

  it('leads to the same reports as none, whatever changed meanwhile', async () => {
    await run();
    const one = await fixture.client.get<KubeObject>(types.pods, { name: 'one', namespace: 'default' });
    await fixture.client.replace(types.pods, {
      ...one,
      metadata: { ...one.metadata, labels: { app: 'one', owner: 'me' } },
    });
    await fixture.put(types.pods, pod('four', 'default'));
    await fixture.remove(types.pods, 'three', 'default');
    expect(await restart()).toBe(4);

    await fixture.put(types.clusterPolicy, requireLabel('owner', [{ name: 'has-owner', label: 'team' }]));
    expect(await restart()).toBe(3);

    await fixture.put(types.clusterPolicy, requireLabel('third', [{ name: 'has-third', label: 'app' }]));
    await fixture.remove(types.clusterPolicy, 'app');
    expect(await restart()).toBe(3);
  });

  it('counts only with the same exceptions', async () => {
    await run();
    await fixture.put(types.exception, {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: 'all', namespace: 'default' },
      spec: {
        exceptions: [{ policyName: 'owner', ruleNames: ['*'] }],
        match: { any: [{ resources: { kinds: ['Pod'], names: ['t*'] } }] },
      },
    });
    expect(await restart()).toBe(6);
    expect(await restart()).toBe(0);
    await fixture.remove(types.exception, 'all', 'default');
    expect(await restart()).toBe(6);
  });

  it('counts only with the same labels of the namespace', async () => {
    const label = (value: string) =>
      fixture.put(types.namespaces, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'default', labels: { tier: value } },
      });
    await label('gold');
    await fixture.put(types.clusterPolicy, {
      ...requireLabel('gold', []),
      spec: {
        validationFailureAction: 'Audit',
        rules: [
          {
            name: 'has-gold',
            match: {
              any: [{ resources: { kinds: ['Pod'], namespaceSelector: { matchLabels: { tier: 'gold' } } } }],
            },
            validate: { message: 'gold', pattern: { metadata: { labels: { gold: '?*' } } } },
          },
        ],
      },
    });
    await run();
    expect(Object.keys(await said())).toContain('default/polr-ns-default-gold');
    await label('silver');
    expect(await restart()).toBe(9);
    expect(Object.keys(await said())).not.toContain('default/polr-ns-default-gold');
  });

  it('holds nothing of policies that look things up', async () => {
    const configMap = (owner: string) =>
      fixture.put(types.configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'facts', namespace: 'default' },
        data: { owner },
      });
    await configMap('a');
    await fixture.put(types.clusterPolicy, {
      ...requireLabel('owner', []),
      spec: {
        validationFailureAction: 'Audit',
        rules: [
          {
            name: 'has-owner',
            match: { any: [{ resources: { kinds: ['Pod'] } }] },
            context: [{ name: 'facts', configMap: { name: 'facts', namespace: 'default' } }],
            validate: {
              message: 'owner is {{ facts.data.owner }}',
              pattern: { metadata: { labels: { owner: '?*' } } },
            },
          },
        ],
      },
    });
    await run();
    await configMap('b');
    expect(await restart()).toBe(3);
    expect(JSON.stringify(await said())).toContain('owner is b');
  });

  /** All that an editor can write, so that it looks like a write of ours. */
  async function forge(): Promise<void> {
    const name = 'polr-ns-default-owner';
    const report = await fixture.client.get<KubeObject>(types.reports, { name, namespace: 'default' });
    const results = resultsOf(report).map((result) => ({ ...result, result: 'pass', message: 'forged' }));
    const annotations = {
      ...report.metadata.annotations,
      'supercargo.dev/content-generation': String((report.metadata.generation ?? 0) + 1),
    };
    await fixture.client.replace(types.reports, { ...report, metadata: { ...report.metadata, annotations }, results });
  }

  it('is the only thing that counts: a report that somebody edits is restored', async () => {
    const { said: before } = await run();
    await forge();
    expect(await run()).toMatchObject({ evaluations: 0, writes: 1, said: before });
    await forge();
    rmSync(checkpoint.path);
    expect(await run()).toMatchObject({ evaluations: 6, writes: 1, said: before });
    const running = await fixture.start({ checkpoint });
    await running.settled();
    await forge();
    await eventually(async () => expect(await said()).toEqual(before));
    await running.stop();
  });

  it('holds nothing of an object whose last form could not be evaluated', async () => {
    let isBroken = false;
    const isExcluded = (_: unknown, __: string, name: string) => {
      if (isBroken && name === 'one') throw new Error('broken');
      return false;
    };
    const running = await fixture.start({ checkpoint, isExcluded });
    await running.settled();
    isBroken = true;
    const key = { name: 'one', namespace: 'default' };
    const { metadata, ...one } = await fixture.client.get<KubeObject>(types.pods, key);
    await fixture.client.replace(types.pods, {
      ...one,
      metadata: { ...metadata, labels: { ...metadata.labels, owner: 'me' } },
    });
    await running.settled();
    await running.stop();
    expect(await restart()).toBe(2);
    expect(JSON.stringify((await said())['default/polr-ns-default-owner'])).toContain('"pass"');
  });

  it('knows the reports, so that they are read only when somebody may have written them', async () => {
    await run();
    const reads: string[] = [];
    const client: KubeClient = {
      ...fixture.client,
      get: (type, key, options) => {
        if (type.resource === 'policyreports') reads.push(key.name);
        return fixture.client.get(type, key, options);
      },
    };
    expect(await run({ client })).toMatchObject({ writes: 0 });
    expect(reads).toEqual([]);
    const name = 'polr-ns-default-owner';
    const report = await fixture.client.get<KubeObject>(types.reports, { name, namespace: 'default' });
    const labels = { ...report.metadata.labels, seen: 'yes' };
    // Of metadata alone: the server does not count it, and it is left as it is.
    await fixture.client.replace(types.reports, { ...report, metadata: { ...report.metadata, labels } });
    expect(await run({ client })).toMatchObject({ writes: 0 });
    await forge();
    expect(await run({ client })).toMatchObject({ writes: 1 });
    expect(reads).toEqual([name]);
    rmSync(checkpoint.path);
    expect(await run({ client })).toMatchObject({ writes: 0 });
    expect(reads.sort()).toEqual(['polr-ns-default-app', name, name]);
  });

  it('holds results of policies and exceptions with integers beyond 2^53', async () => {
    const huge = 9_007_199_254_740_993n;
    const owner = requireLabel('owner', [{ name: 'has-owner', label: 'owner' }]);
    const [rule] = (owner['spec'] as { readonly rules: readonly object[] }).rules;
    const preconditions = { all: [{ key: huge, operator: 'Equals', value: huge }] };
    await fixture.put(types.clusterPolicy, {
      ...owner,
      spec: { ...(owner['spec'] as object), rules: [{ ...rule, preconditions }] },
    });
    await fixture.put(types.exception, {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: 'huge', namespace: 'default' },
      spec: {
        exceptions: [{ policyName: 'owner', ruleNames: ['*'] }],
        match: { any: [{ resources: { kinds: ['Pod'], names: ['t*'] } }] },
        conditions: { all: [{ key: huge, operator: 'Equals', value: huge }] },
      },
    });
    await run();
    expect(await restart()).toBe(0);
    await fixture.put(types.clusterPolicy, {
      ...owner,
      spec: {
        ...(owner['spec'] as object),
        rules: [{ ...rule, preconditions: { all: [{ key: huge, operator: 'Equals', value: huge + 1n }] } }],
      },
    });
    expect(await restart()).toBe(3);
  });

  it('is not used when it is damaged, open to others or of another program', async () => {
    const { said: before } = await run();
    const bytes = readFileSync(checkpoint.path);
    writeFileSync(checkpoint.path, bytes.subarray(0, -1));
    expect(await run()).toMatchObject({ evaluations: 6, said: before });
    chmodSync(checkpoint.path, 0o666);
    expect(await run()).toMatchObject({ evaluations: 6, said: before });
    expect(await run({ checkpoint: { ...checkpoint, program: 'b' } })).toMatchObject({ evaluations: 6, said: before });
    expect(await run({ checkpoint: { ...checkpoint, program: 'b' } })).toMatchObject({ evaluations: 0, said: before });
  });
});
