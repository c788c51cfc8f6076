import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { rightsOfRule } from '../access.ts';
import { type Exercise, home, type Place } from '../exercise.ts';
import { clusterPolicy, kyverno, lookUps, prepareLookUps } from './policies.ts';
import { toldTwice } from './webhooks.ts';

const kinds = [
  'Pod',
  'Service',
  'ServiceAccount',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ReplicationController',
  'LimitRange',
  'ResourceQuota',
  'Node',
  'PodTemplate',
  'Deployment',
  'Job',
  'HorizontalPodAutoscaler',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'StorageClass',
  'Role',
  'Namespace',
];
const reports = '/apis/wgpolicyk8s.io/v1alpha2';
const label = (message: string) => ({ message, pattern: { metadata: { labels: { team: '?*' } } } });
const policy = (name: string, of: readonly string[], message: string, more = {}) => {
  const match = { any: [{ resources: { kinds: of } }] };
  return clusterPolicy(name, { name: 'team', match, ...more, validate: label(message) });
};

/** Another replica leads, until it is over: results of admission go to it through an outbox. */
const leases = `/apis/coordination.k8s.io/v1/namespaces/${home}/leases`;
const held = {
  metadata: { name: `${home}-report` },
  spec: {
    holderIdentity: 'other',
    leaseDurationSeconds: 3600,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
};

async function leaveResults({ create, http }: Place): Promise<void> {
  await create('/api/v1/namespaces', { metadata: { name: 'admitted' } });
  const path = '/api/v1/namespaces/admitted/configmaps';
  // Of no other namespace: results of what is soon deleted wait for it.
  const match = { any: [{ resources: { kinds: ['ConfigMap'], namespaces: ['admitted'] } }] };
  const admitted = clusterPolicy('admitted', { name: 'team', match, validate: label('a team is missing') });
  await create(`${kyverno}/clusterpolicies`, { ...admitted, spec: { ...admitted.spec, background: false } });
  await create(path, { metadata: { name: 'one' } });
  const outboxes = async () =>
    (await http.get(`/api/v1/namespaces/${home}/configmaps?labelSelector=supercargo.dev/report-outbox`)).body.items;
  const versions = new Set<string>();
  await eventually(async () => {
    await http.patch(`${path}/one`, { data: { at: String(Date.now()) } }, 'merge');
    const items = await outboxes();
    for (const { metadata } of items) versions.add(metadata.resourceVersion);
    expect(versions.size).toBeGreaterThan(1);
  });
  await http.patch(`${leases}/${held.metadata.name}`, { spec: { holderIdentity: '' } }, 'merge');
  // It is deleted when its results are in reports.
  await eventually(async () => expect(await outboxes()).toEqual([]), { timeoutMs: 120_000 });
}

/** Another writer changes a report first. */
const contest = ({ before, http }: Place, resource: string) =>
  before({ verb: 'update', group: 'wgpolicyk8s.io', resource }, async ({ namespace, name }) => {
    const path =
      namespace === '' ? `${reports}/${resource}/${name}` : `${reports}/namespaces/${namespace}/${resource}/${name}`;
    expect((await http.patch(path, { metadata: { annotations: { touched: 'yes' } } }, 'merge')).status).toBe(200);
  });

/** Reports on all kinds that it may read, says which it may not, and removes a report. */
export const report: Exercise = {
  refused: rightsOfRule({ apiGroups: [''], resources: ['endpoints'], verbs: ['list', 'watch'] }),
  async prepare(place) {
    await prepareLookUps(place);
    if (place.features.includes('admission')) await place.create(leases, held);
    for (const resource of ['policyreports', 'clusterpolicyreports']) contest(place, resource);
  },
  async run(place) {
    const { create, http } = place;
    if (place.features.includes('admission')) await leaveResults(place);
    const policies = `${kyverno}/clusterpolicies`;
    await create('/api/v1/namespaces', { metadata: { name: 'reported' } });
    await create('/api/v1/namespaces/reported/serviceaccounts', { metadata: { name: 'one' } });
    await create('/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'slow' },
      provisioner: 'none.example/none',
    });
    await create(policies, policy('teams', kinds, 'a team is missing', lookUps));
    const namespaced = `${reports}/namespaces/reported/policyreports`;
    const all = `${reports}/clusterpolicyreports`;
    for (const path of [namespaced, all])
      await eventually(async () => expect((await http.get(path)).body.items).not.toHaveLength(0));
    for (const path of [
      '/api/v1/namespaces/reported/serviceaccounts/one',
      '/apis/storage.k8s.io/v1/storageclasses/slow',
    ])
      await http.patch(path, { metadata: { labels: { team: 'mine' } } }, 'merge');
    for (const path of [namespaced, all])
      await eventually(async () => expect((await http.get(path)).text).toContain('"result":"pass"'));
    await create(policies, policy('endpoints', ['Endpoints'], 'first'));
    const problem = (kind: string) =>
      http.patch(
        `${policies}/endpoints`,
        [{ op: 'replace', path: '/spec/rules/0/match/any/0/resources/kinds/0', value: kind }],
        'json',
      );
    await eventually(async () => {
      await problem('Pod');
      await problem('Endpoints');
      await toldTwice(place, 'default', 'PolicyError');
    });
    await http.delete(`${policies}/teams`);
    for (const path of [namespaced, all])
      await eventually(async () =>
        expect(
          (await http.get(path)).body.items.filter(({ metadata }) => metadata.name.includes('teams')),
        ).toHaveLength(0),
      );
  },
};
