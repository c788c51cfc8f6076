import { expect } from 'vitest';
import { ownerLabel } from '../../../src/api/index.ts';
import { parseYaml, systemClock } from '../../../src/base/index.ts';
import { generatingPolicy, mutateExistingPolicy } from '../../integration/generate/cel-policies.ts';
import { jobPolicy } from '../../integration/generate/policies.ts';
import { eventually } from '../../support/wait.ts';
import { rightsOfRule } from '../access.ts';
import { type Exercise, home, type Place } from '../exercise.ts';
import { cel, clusterPolicy, kyverno, lookUps, prepareLookUps } from './policies.ts';
import { toldTwice } from './webhooks.ts';

const limits = (name: string) => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  name,
  namespace: '{{ request.object.metadata.name }}',
  data: { spec: { limits: [{ type: 'Pod' }] } },
});
const match = { any: [{ resources: { kinds: ['Namespace'], selector: { matchLabels: { generates: 'yes' } } } }] };

/** Only admission tells of it, so that it needs a webhook and an outbox. */
async function generateOnDeletion({ create, http }: Place): Promise<void> {
  const resources = { kinds: ['ConfigMap'], namespaces: ['generates'], operations: ['DELETE'] };
  const rule = {
    name: 'deleted',
    match: { any: [{ resources }] },
    generate: { ...limits('deleted'), namespace: 'generates' },
  };
  await create(`${kyverno}/clusterpolicies`, clusterPolicy('deleted', rule));
  await eventually(async () => {
    const path = '/api/v1/namespaces/generates/configmaps';
    await http.post(path, { metadata: { name: 'gone' } });
    await http.delete(`${path}/gone`);
    expect((await http.get('/api/v1/namespaces/generates/limitranges/deleted')).status).toBe(200);
  });
}

/** Of a replica that is gone: an hour is over since the last write. */
async function abandonOutbox({ features, create, http }: Place): Promise<void> {
  if (features.length > 1) return;
  const labels = { [ownerLabel]: home, 'supercargo.dev/outbox': 'generate' };
  const path = `/api/v1/namespaces/${home}/configmaps`;
  await create(path, { metadata: { name: 'gone', labels }, data: { entries: '[]' } });
  await eventually(async () => expect((await http.get(`${path}/gone`)).status).toBe(404));
}

/** Generates and changes by rules of both languages, for pods and namespaces. */
export const generate: Exercise = {
  config: () => ({ generate: { trustReviews: true } }),
  clock: { ...systemClock, now: () => systemClock.now() + 2 * 3_600_000 },
  // What policies generate and change is granted by aggregation.
  grants: [
    ...rightsOfRule({
      apiGroups: ['batch'],
      resources: ['jobs'],
      verbs: ['create', 'get', 'list', 'watch', 'update', 'delete'],
    }),
    ...rightsOfRule({
      apiGroups: [''],
      resources: ['limitranges', 'serviceaccounts'],
      verbs: ['create', 'get', 'list', 'watch', 'update', 'delete'],
    }),
  ],
  prepare: prepareLookUps,
  again: abandonOutbox,
  async run(place) {
    const { create, http } = place;
    await create('/api/v1/namespaces', { metadata: { name: 'generates' } });
    await create(`${kyverno}/clusterpolicies`, parseYaml(jobPolicy('jobs', 'generates')) as object);
    await create(
      `${kyverno}/clusterpolicies`,
      clusterPolicy('limits', {
        name: 'limits',
        match,
        ...lookUps,
        generate: { synchronize: true, ...limits('limits') },
      }),
    );
    const once = { metadata: { annotations: { 'supercargo.dev/once-per': 'this' } } };
    await create(
      `${kyverno}/clusterpolicies`,
      clusterPolicy('once', {
        name: 'once',
        match,
        generate: { ...limits('once'), data: { ...once, ...limits('once').data } },
      }),
    );
    await create(
      `${cel}/generatingpolicies`,
      generatingPolicy('accounts', {
        labels: { generates: 'yes' },
        template:
          'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: generated\n  namespace: (( object.metadata.name ))\n',
      }),
    );
    await create(
      `${cel}/mutatingpolicies`,
      mutateExistingPolicy('touch', {
        resources: 'limitranges',
        labels: { touch: 'yes' },
        merged: 'Object{metadata: Object.metadata{annotations: {"touched": "yes"}}}',
      }),
    );
    for (const name of ['a', 'b'])
      await create('/api/v1/namespaces/generates/pods', {
        metadata: { name },
        spec: { containers: [{ name: 'a', image: 'registry.example/a:1' }] },
      });
    await create('/api/v1/namespaces', { metadata: { name: 'generated', labels: { generates: 'yes' } } });
    await create('/api/v1/namespaces/generates/limitranges', {
      metadata: { name: 'touched', labels: { touch: 'yes' } },
      spec: { limits: [{ type: 'Pod' }] },
    });
    await eventually(async () => {
      expect((await http.get('/apis/batch/v1/namespaces/generates/jobs')).body.items).toHaveLength(1);
      expect((await http.get('/api/v1/namespaces/generated/limitranges/limits')).status).toBe(200);
      expect((await http.get('/api/v1/namespaces/generated/serviceaccounts/generated')).status).toBe(200);
      const { body } = await http.get('/api/v1/namespaces/generates/limitranges/touched');
      expect(body.metadata.annotations).toMatchObject({ touched: 'yes' });
    });
    if (place.features.includes('admission')) await generateOnDeletion(place);
    // What is gone is generated again when its trigger changes.
    const account = '/api/v1/namespaces/generated/serviceaccounts/generated';
    await http.delete(account);
    await http.patch('/api/v1/namespaces/generated', { metadata: { labels: { again: 'yes' } } }, 'merge');
    await eventually(async () => expect((await http.get(account)).status).toBe(200));
    // A trigger that failed is read again.
    await create(
      `${kyverno}/clusterpolicies`,
      clusterPolicy('late', {
        name: 'late',
        match: { any: [{ resources: { kinds: ['Pod'], names: ['late'] } }] },
        context: [{ name: 'late', configMap: { name: 'late', namespace: 'generates' } }],
        generate: { ...limits('{{ late.data.name }}'), namespace: 'generates' },
      }),
    );
    await create('/api/v1/namespaces/generates/pods', {
      metadata: { name: 'late' },
      spec: { containers: [{ name: 'a', image: 'registry.example/a:1' }] },
    });
    await toldTwice(place, 'default', 'PolicyApplied');
  },
};
