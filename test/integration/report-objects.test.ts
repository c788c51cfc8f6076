import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import { type KubeClient, KubeError } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { compilePolicy, createEvaluation, type PolicyRequest } from '../../src/policy/index.ts';
import { createReportOutbox } from '../../src/report/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { withFaults } from './faulty-client.ts';
import {
  createReportFixture,
  linesOf,
  pod,
  type ReportFixture,
  type Running,
  requireLabel,
  resultsOf,
  startReporter,
  types,
} from './report-fixture.ts';

const one = [{ name: 'has-app', label: 'app' }];

describe('report objects', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  let running: Running | undefined;
  let count = 0;
  let namespace = '';
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    for (const type of [
      types.clusterPolicy,
      types.policy,
      types.exception,
      types.deployments,
      types.pods,
      types.reports,
    ])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture?.close();
    await cluster?.stop();
  });
  const inNewNamespace = async () => {
    namespace = `space-${++count}`;
    await fixture.put(types.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  };
  const report = async (policy: string) => (await fixture.reports())[`${namespace}/polr-ns-${namespace}-${policy}`];
  const versions = async () =>
    Object.fromEntries(
      Object.entries(await fixture.reports()).map(([key, { metadata }]) => [key, metadata.resourceVersion]),
    );

  it('have the fields Kyverno writes, category and severity from annotations, and warn where not scored', async () => {
    await inNewNamespace();
    const policy = requireLabel('fields', one);
    const annotations = {
      'policies.kyverno.io/category': 'Best Practices',
      'policies.kyverno.io/severity': 'high',
      'policies.kyverno.io/scored': 'false',
    };
    await fixture.put(types.clusterPolicy, { ...policy, metadata: { ...policy.metadata, annotations } });
    const { metadata } = await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    const found = (await report('fields'))!;
    expect(resultsOf(found)).toEqual([
      {
        source: 'kyverno',
        policy: 'fields',
        rule: 'has-app',
        category: 'Best Practices',
        severity: 'high',
        scored: false,
        result: 'warn',
        message: expect.stringContaining('label app is required'),
        timestamp: { seconds: expect.any(Number), nanos: 0 },
        resources: [{ apiVersion: 'v1', kind: 'Pod', namespace, name: 'web', uid: metadata.uid }],
        properties: { process: 'background scan' },
      },
    ]);
    expect(found['summary']).toEqual({ pass: 0, fail: 0, warn: 1, error: 0, skip: 0 });
    expect(found.metadata.labels?.['supercargo.dev/owner']).toBe('supercargo');
  });

  it('contain the results of autogen rules in the same report, and a Pod of a Deployment is not reported twice', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('auto', one));
    const labels = { app: 'web' };
    const deployment = await fixture.put(types.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
    });
    const ownerOf = ({ kind, metadata }: KubeObject) => ({
      apiVersion: 'apps/v1',
      kind,
      name: 'web',
      uid: metadata.uid!,
      controller: true,
    });
    const replicaSets = { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true };
    const replicaSet = await fixture.put(replicaSets, {
      ...deployment,
      kind: 'ReplicaSet',
      metadata: { name: 'web', namespace, ownerReferences: [ownerOf(deployment)] },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
      status: {},
    } as KubeObject);
    const owner = ownerOf(replicaSet);
    const owned = pod('web-1', namespace);
    await fixture.put(types.pods, { ...owned, metadata: { ...owned.metadata, ownerReferences: [owner] } });
    // No rule is derived for such an owner, so its pod must speak for itself.
    const settings = await fixture.put(types.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'rollout', namespace },
    });
    const rollout = { ...owner, apiVersion: 'v1', kind: 'ConfigMap', name: 'rollout', uid: settings.metadata.uid! };
    const foreign = pod('rollout-1', namespace);
    await fixture.put(types.pods, { ...foreign, metadata: { ...foreign.metadata, ownerReferences: [rollout] } });
    running = await fixture.start();
    await running.settled();
    expect(linesOf(await report('auto'))).toEqual([
      'Deployment web: autogen-has-app pass',
      'Pod rollout-1: has-app fail',
    ]);
  });

  it('are restored when another client deletes or edits them', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('mine', one));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    const name = `polr-ns-${namespace}-mine`;
    await fixture.remove(types.reports, name, namespace);
    await eventually(async () => expect(linesOf(await report('mine'))).toEqual(['Pod web: has-app fail']));
    await fixture.client.patch(
      types.reports,
      { name, namespace },
      { type: 'merge', body: { results: [], summary: { pass: 99 } } },
    );
    await eventually(async () => expect(linesOf(await report('mine'))).toEqual(['Pod web: has-app fail']));
  });

  it('are corrected after a restart when another client edited them in the meantime', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('mine', one));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    await running.stop();
    const key = { name: `polr-ns-${namespace}-mine`, namespace };
    await fixture.client.patch(types.reports, key, { type: 'merge', body: { results: [] } });
    running = await fixture.start();
    await eventually(async () => expect(linesOf(await report('mine'))).toEqual(['Pod web: has-app fail']));
  });

  it('of others are left alone, even under the name that ours would have', async () => {
    await inNewNamespace();
    const theirs = (name: string, labels: Record<string, string>): KubeObject => ({
      apiVersion: 'wgpolicyk8s.io/v1alpha2',
      kind: 'PolicyReport',
      metadata: { name, namespace, labels },
      results: [],
    });
    await fixture.put(
      types.reports,
      theirs(`polr-ns-${namespace}-taken`, { 'app.kubernetes.io/managed-by': 'kyverno' }),
    );
    await fixture.put(types.reports, theirs('scanner', { 'supercargo.dev/owner': 'another-installation' }));
    const before = await versions();
    await fixture.put(types.clusterPolicy, requireLabel('taken', one));
    await fixture.put(types.clusterPolicy, requireLabel('free', one));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await eventually(async () => expect(linesOf(await report('free'))).toEqual(['Pod web: has-app fail']));
    expect(await versions()).toMatchObject(before);
  });

  it('of long and look-alike policies are separate, and a restart writes none of them again', async () => {
    await inNewNamespace();
    const names = ['foo', 'foo-2', `${'y'.repeat(62)}1`, `${'y'.repeat(62)}2`];
    for (const name of names) await fixture.put(types.clusterPolicy, requireLabel(name, one));
    await fixture.put(types.policy, requireLabel('foo', one, { namespace }));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    const own = Object.values(await fixture.reports()).filter(({ metadata }) => metadata.namespace === namespace);
    const policies = own.map((found) => [...new Set(resultsOf(found).map(({ policy }) => policy))]);
    expect(policies.flat().sort()).toEqual([...names, `${namespace}/foo`].sort());
    expect(policies.every((of) => of.length === 1)).toBe(true);
    const before = await versions();
    await running.stop();
    running = await fixture.start();
    await running.settled();
    expect(await versions()).toEqual(before);
  });

  it('that grow are divided, and one change rewrites one part', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('large', one));
    for (let i = 0; i < 40; i++) await fixture.put(types.pods, pod(`web-${i}`, namespace));
    running = await fixture.start({ targetBytes: 4096 });
    await running.settled();
    const before = await versions();
    expect(Object.keys(before).length).toBeGreaterThan(3);
    await fixture.client.patch(
      types.pods,
      { name: 'web-7', namespace },
      { type: 'merge', body: { metadata: { labels: { app: 'x' } } } },
    );
    await eventually(async () => {
      const after = await versions();
      expect(Object.keys(after).filter((key) => after[key] !== before[key])).toHaveLength(1);
    });
    await running.settled();
    const after = await versions();
    expect(Object.keys(after).filter((key) => after[key] !== before[key])).toHaveLength(1);
  });

  it('are not written again for a status, nor for the same results', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('quiet', one));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    const before = await versions();
    const key = { name: 'web', namespace };
    await fixture.client.patch(
      types.pods,
      key,
      { type: 'merge', body: { status: { phase: 'Running' } } },
      { subresource: 'status' },
    );
    await fixture.client.patch(types.pods, key, { type: 'merge', body: { metadata: { annotations: { note: 'x' } } } });
    await running.settled();
    expect(await versions()).toEqual(before);
  });

  it('change their form when configured, and the other form is deleted', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('first', one));
    await fixture.put(types.clusterPolicy, requireLabel('second', one));
    await fixture.put(types.clusterPolicy, requireLabel('spaces', one, { kinds: ['Namespace'] }));
    await fixture.put(types.pods, pod('web', namespace));
    running = await fixture.start();
    await running.settled();
    const split = Object.keys(await fixture.reports());
    expect(split).toContain('clusterpolicyreport-spaces');
    await running.stop();
    running = await fixture.start({ isSplit: false });
    await running.settled();
    await eventually(async () =>
      expect(Object.keys(await fixture.reports()).sort()).toEqual(
        ['clusterpolicyreport', `${namespace}/polr-ns-${namespace}`].sort(),
      ),
    );
    await running.stop();
    running = await fixture.start();
    await eventually(async () => expect(Object.keys(await fixture.reports()).sort()).toEqual(split.sort()));
  });

  describe('with results from admission', () => {
    const policy = () => requireLabel('at-admission', one, { spec: { background: false } });
    const admit = (...args: Parameters<typeof recordOf>) => running!.reporter.takeAdmissionResults(recordOf(...args));
    const recordOf = (
      object: KubeObject,
      rest: { readonly isBlocked?: boolean; readonly request?: Partial<PolicyRequest> } = {},
    ) => {
      const { program } = compilePolicy(policy());
      const request: PolicyRequest = {
        operation: 'CREATE',
        kind: { group: '', version: 'v1', kind: 'Pod' },
        subresource: '',
        object,
        namespaceLabels: {},
        uid: 'request',
        now: 0,
        ...rest.request,
      };
      const evaluation = createEvaluation([program!], request, { phase: 'validate' });
      evaluation.advance(new Map());
      return { isBlocked: rest.isBlocked ?? false, request, results: evaluation.results };
    };

    it('contain results that only admission has, also after a restart, until the object is deleted', async () => {
      await inNewNamespace();
      await fixture.put(types.clusterPolicy, policy());
      running = await fixture.start({ outboxNamespace: namespace });
      await running.settled();
      admit(await fixture.put(types.pods, pod('web', namespace)));
      await fixture.put(types.pods, pod('unseen', namespace));
      await eventually(async () => expect(linesOf(await report('at-admission'))).toEqual(['Pod web: has-app fail']));
      expect(resultsOf(await report('at-admission'))[0]?.['properties']).toEqual({ process: 'admission review' });
      const before = await versions();
      for (let i = 0; i < 2; i++) {
        await running.stop();
        running = await fixture.start({ outboxNamespace: namespace });
        await running.settled();
        expect(await versions()).toEqual(before);
      }
      await fixture.remove(types.pods, 'web', namespace);
      await eventually(async () => expect(await report('at-admission')).toBeUndefined());
    });

    it('contain what was being written when Supercargo stopped', async () => {
      await inNewNamespace();
      await fixture.put(types.clusterPolicy, policy());
      let onStored = () => {};
      const isStored = new Promise<void>((resolve) => {
        onStored = resolve;
      });
      // The answer comes later.
      const client: KubeClient = {
        ...fixture.client,
        async create(type, object, options) {
          const stored = await fixture.client.create(type, object, { ...options, signal: undefined });
          if (type === types.reports) {
            onStored();
            await sleep(20, undefined, { signal: options?.signal });
          }
          return stored;
        },
      };
      running = await fixture.start({ client, outboxNamespace: namespace });
      await running.settled();
      admit(await fixture.put(types.pods, pod('web', namespace)));
      await isStored;
      await running.stop();
      running = await fixture.start({ outboxNamespace: namespace });
      await running.settled();
      expect(linesOf(await report('at-admission'))).toEqual(['Pod web: has-app fail']);
    });

    it('contain no results that somebody wrote while Supercargo was down', async () => {
      await inNewNamespace();
      await fixture.put(types.clusterPolicy, policy());
      await fixture.put(types.clusterPolicy, requireLabel('other', one, { spec: { background: false } }));
      running = await fixture.start({ outboxNamespace: namespace });
      await running.settled();
      admit(await fixture.put(types.pods, pod('web', namespace)));
      await eventually(async () => expect(linesOf(await report('at-admission'))).toEqual(['Pod web: has-app fail']));
      await running.stop();
      const written = (await report('at-admission'))!;
      const passes = resultsOf(written).map((result) => ({ ...result, result: 'pass' }));
      const annotations = {
        ...written.metadata.annotations,
        'supercargo.dev/admission-results': 'true',
        'supercargo.dev/content-generation': String((written.metadata.generation ?? 0) + 1),
      };
      await fixture.client.replace(types.reports, {
        ...written,
        metadata: { ...written.metadata, annotations },
        results: passes,
      });
      // A report of ours in all that its metadata say, which we did not write.
      const { labels = {} } = written.metadata;
      await fixture.client.create(types.reports, {
        apiVersion: written.apiVersion,
        kind: written.kind,
        metadata: {
          name: `polr-ns-${namespace}-other`,
          namespace,
          labels,
          annotations: { ...annotations, 'supercargo.dev/policy': 'other', 'supercargo.dev/content-generation': '1' },
        },
        results: passes.map((result) => ({ ...result, policy: 'other' })),
      });
      running = await fixture.start({ outboxNamespace: namespace });
      await running.settled();
      expect(await report('at-admission')).toBeUndefined();
      expect(await report('other')).toBeUndefined();
    });

    it('contain results of another replica, which passes them in one object and deletes it', async () => {
      await inNewNamespace();
      await fixture.put(types.clusterPolicy, policy());
      const outbox = createReportOutbox({
        client: fixture.client,
        installation: 'supercargo',
        namespace,
        identity: 'another replica',
        clock: systemClock,
        log: silentLogger,
      });
      const stop = new AbortController();
      const flushing = outbox.run(stop.signal);
      try {
        for (const name of ['web', 'db']) outbox.put(recordOf(await fixture.put(types.pods, pod(name, namespace))));
        await eventually(async () => {
          const { items } = await fixture.client.list(types.configMaps, {
            namespace,
            labelSelector: 'supercargo.dev/report-outbox',
          });
          expect(items).toHaveLength(1);
        });
        // The leader comes later, as after a change of leaders.
        running = await fixture.start({ outboxNamespace: namespace });
        await eventually(async () => {
          expect(linesOf(await report('at-admission'))).toEqual(['Pod db: has-app fail', 'Pod web: has-app fail']);
          const { items } = await fixture.client.list(types.configMaps, {
            namespace,
            labelSelector: 'supercargo.dev/report-outbox',
          });
          expect(items).toEqual([]);
        });
      } finally {
        stop.abort();
        await flushing;
      }
    });

    it('say nothing of what was refused, tried or deleted', async () => {
      await inNewNamespace();
      await fixture.put(types.clusterPolicy, policy());
      running = await fixture.start();
      await running.settled();
      const stored = await fixture.put(types.pods, pod('web', namespace));
      admit(stored, { isBlocked: true });
      admit(stored, { request: { dryRun: true } });
      admit(stored, { request: { operation: 'DELETE' } });
      // Judged in a form that was never stored: some later webhook refused it.
      admit({ ...stored, metadata: { ...stored.metadata, labels: { other: 'form' } } });
      await running.settled();
      expect(await report('at-admission')).toBeUndefined();
    });
  });

  it('are written in the end however often the server refuses, with few words about it', async () => {
    await inNewNamespace();
    for (let i = 0; i < 10; i++) await fixture.put(types.clusterPolicy, requireLabel(`policy-${i}`, one));
    await fixture.put(types.pods, pod('web', namespace));
    let writes = 0;
    const faults = ['error', 'throttled', 'conflict', 'lost-answer', 'none'] as const;
    const warnings: string[] = [];
    const log = recordingLog(warnings);
    running = await startReporter(fixture.client, {
      client: withFaults(fixture.client, () => faults[writes++ % faults.length]!),
      log,
    });
    await eventually(async () => {
      for (let i = 0; i < 10; i++) expect(linesOf(await report(`policy-${i}`))).toEqual(['Pod web: has-app fail']);
    });
    await running.settled();
    expect(warnings.length).toBeLessThanOrEqual(1);
  });

  it('of a namespace that is going away are given up without complaint', async () => {
    await inNewNamespace();
    await fixture.put(types.clusterPolicy, requireLabel('going', one));
    await fixture.put(types.pods, pod('web', namespace));
    const warnings: string[] = [];
    let refused = 0;
    const client = {
      ...fixture.client,
      create: async () => {
        refused++;
        throw new KubeError('kube-forbidden', 'injected: being terminated (403)', {
          method: 'POST',
          path: '/injected',
          status: 403,
          causes: [{ reason: 'NamespaceTerminating' }],
        });
      },
    } as typeof fixture.client;
    running = await startReporter(fixture.client, { client, log: recordingLog(warnings) });
    await eventually(() => expect(refused).toBeGreaterThan(0));
    await fixture.remove(types.pods, 'web', namespace);
    await running.settled();
    expect(warnings).toEqual([]);
    expect(refused).toBeLessThan(5);
  });
});

function recordingLog(warnings: string[]): Logger {
  const log: Logger = {
    debug() {},
    info() {},
    warn: (message: string) => void warnings.push(message),
    error: (message: string) => void warnings.push(message),
    child: () => log,
  } as unknown as Logger;
  return log;
}
