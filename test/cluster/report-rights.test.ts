import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { applyManifests, installManifests } from '../../src/app/install.ts';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createKubeClient, type KubeConnection, loadClusterConfig } from '../../src/kube/index.ts';
import type { OnReportProblem } from '../../src/report/index.ts';
import {
  createReportFixture,
  linesOf,
  pod,
  type ReportFixture,
  type Running,
  requireLabel,
  startReporter,
  types,
} from '../integration/report-fixture.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

const missing = await whyNoCluster();

const rbac = (resource: string, kind: string) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});

describe.skipIf(missing !== undefined)('reports with the rights of an installation on a real cluster', () => {
  let cluster: RealCluster;
  let fixture: ReportFixture;
  let installed: KubeConnection;
  let running: Running;
  const problems = new Map<string, string>();
  const onProblem: OnReportProblem = (policy, problem) => {
    if (problem) problems.set(policy, problem.message);
    else problems.delete(policy);
  };
  beforeAll(async () => {
    cluster = await startRealCluster({ controllerManager: true });
    fixture = await createReportFixture(cluster);
    const admin = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const manifests = installManifests({
      namespace: 'supercargo',
      installation: 'supercargo',
      image: 'example.invalid/supercargo:0',
      replicas: 1,
    }).filter(({ kind }) => kind !== 'CustomResourceDefinition');
    const place = { installation: 'supercargo', namespace: 'supercargo' };
    await applyManifests(manifests, { ...admin, ...place, clock: systemClock, force: false, onStep: () => {} });
    await admin.client.close();
    const config = await loadClusterConfig({ env: {}, path: cluster.kubeconfigPath });
    // The administrator acts as the service account: the authorizer sees the account's rights alone.
    installed = createKubeClient({
      ...config,
      headers: { 'impersonate-user': 'system:serviceaccount:supercargo:supercargo-policies' },
    });
    running = await startReporter(installed, { onProblem });
  });
  afterAll(async () => {
    await running?.stop();
    await installed?.close();
    await fixture?.close();
    await cluster?.stop();
  });

  it('leave out Secrets alone, say so, and take them in when the right is granted', async () => {
    const linesIn = async (policy: string) => linesOf((await fixture.reports())[`default/polr-ns-default-${policy}`]);
    const onSecrets = (label: string) => requireLabel('secret', [{ name: 'rule', label }], { kinds: ['Secret'] });
    const secrets = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
    await fixture.put(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: 'default' } });
    await fixture.put(types.pods, pod('web', 'default', { labels: { app: 'web' } }));
    await fixture.put(types.clusterPolicy, onSecrets('app'));
    await eventually(async () => expect(problems.get('secret')).toContain('v1/secrets'), { timeoutMs: 30_000 });
    await fixture.put(types.clusterPolicy, onSecrets('team'));
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-app', label: 'app' }]));
    await eventually(async () => expect(await linesIn('app')).toEqual(['Pod web: has-app pass']), {
      timeoutMs: 30_000,
    });
    await fixture.put(types.clusterPolicy, requireLabel('app', [{ name: 'has-tier', label: 'tier' }]));
    await eventually(async () => expect(await linesIn('app')).toEqual(['Pod web: has-tier fail']), {
      timeoutMs: 30_000,
    });
    const metadata = { name: 'supercargo-secrets' };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
    await fixture.put(rbac('clusterroles', 'ClusterRole'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'watch'] }],
    });
    await fixture.put(rbac('clusterrolebindings', 'ClusterRoleBinding'), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name: 'supercargo-policies', namespace: 'supercargo' }],
    });
    await eventually(
      async () => {
        expect(await linesIn('secret')).toContain('Secret key: rule fail');
        expect(problems.size).toBe(0);
      },
      { timeoutMs: 60_000 },
    );
  }, 120_000);
});
