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
    for (const type of [
      types.clusterPolicy,
      types.policy,
      types.validating,
      types.namespacedValidating,
      types.exception,
      types.pods,
      types.reports,
    ])
      for (const { metadata } of (await fixture.client.list(type)).items)
        await fixture.remove(type, metadata.name ?? '', metadata.namespace);
  });
  afterAll(async () => {
    await fixture.close();
    await cluster.stop();
  });
  const report = async (name: string) => (await fixture.reports())[name];

  defineReportCases(() => fixture);

  it('tell what ValidatingPolicies say, apart from a classic policy of the same name', async () => {
    running = await fixture.start();
    const validating = (kind: string, metadata: { name: string; namespace?: string }, label: string) => ({
      apiVersion: 'policies.kyverno.io/v1',
      kind,
      metadata,
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
        validations: [
          { expression: `'${label}' in object.metadata.?labels.orValue({})`, message: `${label} is missing` },
        ],
        auditAnnotations: [{ key: 'asked', valueExpression: `'${label}'` }],
      },
    });
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    await fixture.put(types.validating, validating('ValidatingPolicy', { name: 'app' }, 'team'));
    const own = { name: 'app', namespace: 'default' };
    await fixture.put(types.namespacedValidating, validating('NamespacedValidatingPolicy', own, 'owner'));
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(types.pods, pod('web', 'kube-public', { labels: { team: 'x' } }));
    await eventually(async () => {
      const reports = await fixture.reports();
      expect(linesOf(reports['default/polr-ns-default-app'])).toEqual(['Pod web: has-app pass']);
      const of = (name: string) =>
        ((reports[name]?.['results'] ?? []) as Record<string, unknown>[]).map(
          ({ source, policy, rule, result, message, properties }) => ({
            source,
            policy,
            rule,
            result,
            message,
            properties,
          }),
        );
      const properties = { process: 'background scan', asked: 'team', 'cel.validationIndex': '0' };
      expect(of('default/polr-ns-default-app.sc-xvalidatingpolicy')).toEqual([
        {
          source: 'KyvernoValidatingPolicy',
          policy: 'app',
          rule: '',
          result: 'fail',
          message: 'team is missing',
          properties,
        },
      ]);
      expect(of('kube-public/polr-ns-kube-public-app.sc-xvalidatingpolicy')).toMatchObject([{ result: 'pass' }]);
      expect(of('default/polr-ns-default-app.sc-xnamespacedvalidatingpolicy')).toMatchObject([
        { policy: 'default/app', result: 'fail', message: 'owner is missing' },
      ]);
      expect(reports['kube-public/polr-ns-kube-public-app.sc-xnamespacedvalidatingpolicy']).toBeUndefined();
    });
    await fixture.remove(types.validating, 'app');
    await eventually(async () =>
      expect(Object.keys(await fixture.reports()).sort()).toEqual([
        'default/polr-ns-default-app',
        'default/polr-ns-default-app.sc-xnamespacedvalidatingpolicy',
        'kube-public/polr-ns-kube-public-app',
      ]),
    );
  });

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
