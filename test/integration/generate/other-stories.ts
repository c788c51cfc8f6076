import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { clonePolicy, settingsPolicy } from './policies.ts';
import { World } from './world.ts';

/** Existing objects, loops, targets of mutations, failures, and what is made only once. */
export function defineOtherStories(cluster: () => Cluster): void {
  describe('generate', () => {
    let world: World;
    let label: string;
    beforeEach(async () => {
      world = await World.open(cluster());
      label = world.installation;
    });
    afterEach(() => world.close());

    const data = async (namespace: string, name: string) =>
      (await world.get('v1', 'ConfigMap', name, namespace))?.['data'];
    const dataIs = (namespace: string, name: string, expected: unknown) =>
      eventually(async () => expect(await data(namespace, name)).toEqual(expected));

    it('acts on what is there already with generateExisting, and without it does not', async () => {
      await world.start();
      const shop = await world.namespace('shop', { story: label });
      const bank = await world.namespace('bank', { story: `${label}-plain` });
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      await world.yaml(settingsPolicy(`${label}-plain`, `${label}-plain`, 'synchronize: false'));
      await world.yaml(settingsPolicy(label, label, 'generateExisting: true'));
      await dataIs(shop, 'settings', { level: 'low' });
      await dataIs(await world.namespace('later', { story: `${label}-plain` }), 'settings', { level: 'low' });
      expect(await data(bank, 'settings')).toBeUndefined();
    });

    it('makes several objects in a loop', async () => {
      await world.start();
      await world.yaml(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${label} }
spec:
  rules:
    - name: each
      match: { any: [{ resources: { kinds: [Namespace], selector: { matchLabels: { story: ${label} } } } }] }
      generate:
        synchronize: true
        foreach:
          - list: split(request.object.metadata.annotations.teams, ',')
            preconditions: { all: [{ key: "{{ element }}", operator: NotEquals, value: none }] }
            apiVersion: v1
            kind: ConfigMap
            name: "team-{{ element }}"
            namespace: "{{ request.object.metadata.name }}"
            data: { data: { index: "no {{ elementIndex }}" } }
`);
      const { metadata } = await world.put({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { generateName: 'shop-', labels: { story: label }, annotations: { teams: 'red,none,blue' } },
      });
      await dataIs(metadata.name!, 'team-red', { index: 'no 0' });
      await dataIs(metadata.name!, 'team-blue', { index: 'no 2' });
      expect(await data(metadata.name!, 'team-none')).toBeUndefined();
      const body = { metadata: { annotations: { teams: 'blue,green' } } };
      const type = await world.typeOf({ apiVersion: 'v1', kind: 'Namespace' });
      await world.connection.client.patch(type, { name: metadata.name! }, { type: 'merge', body });
      await dataIs(metadata.name!, 'team-green', { index: 'no 1' });
      await dataIs(metadata.name!, 'team-red', undefined);
    });

    it('goes on with other triggers when one fails for ever, and remembers it', async () => {
      await world.start();
      const library = await world.namespace('library');
      await world.yaml(clonePolicy(`${label}-a`, `${label}-a`, library, false));
      await world.yaml(settingsPolicy(`${label}-b`, `${label}-b`, 'synchronize: false'));
      await world.namespace('stuck', { story: `${label}-a` });
      for (let i = 0; i < 5; i++) {
        const shop = await world.namespace('shop', { story: `${label}-b` });
        await dataIs(shop, 'settings', { level: 'low' });
      }
      const last = await world.namespace('shop', { story: `${label}-b` });
      const made = (await world.get('v1', 'Namespace', last))!;
      await dataIs(last, 'settings', { level: 'low' });
      await eventually(async () => {
        const { marks, failed } = (await world.checkpoint()) as {
          readonly marks: Readonly<Record<string, { readonly resourceVersion: string }>>;
          readonly failed: readonly { readonly name: string }[];
        };
        expect(failed).toHaveLength(1);
        const reached = Number(marks['v1/namespaces']?.resourceVersion);
        expect(reached).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
      });
      await world.stop();
      await world.start();
      const metadata = { name: 'original', namespace: library };
      await world.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { page: 'one' } });
      await eventually(async () => expect((await world.checkpoint())['failed']).toEqual([]));
    });

    it('changes the targets of a mutation, for a trigger and for a new policy', async () => {
      await world.start();
      const shop = await world.namespace('shop');
      const put = (name: string) =>
        world.put({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: shop },
          data: { seen: 'nothing' },
        });
      await put('target');
      await put('trigger');
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      const policy = (name: string, onUpdate: boolean, field: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name} }
spec:
  rules:
    - name: note
      match: { any: [{ resources: { kinds: [ConfigMap], namespaces: [${shop}], names: [trigger] } }] }
      mutate:
        mutateExistingOnPolicyUpdate: ${onUpdate}
        targets: [{ apiVersion: v1, kind: ConfigMap, name: target, namespace: ${shop} }]
        patchStrategicMerge: { data: { ${field}: "{{ request.object.data.seen }}" } }
`;
      await world.yaml(policy(`${label}-now`, true, 'now'));
      await dataIs(shop, 'target', { seen: 'nothing', now: 'nothing' });
      await world.yaml(policy(`${label}-later`, false, 'later'));
      const type = await world.typeOf({ apiVersion: 'v1', kind: 'ConfigMap' });
      const body = { data: { seen: 'much' } };
      await world.connection.client.patch(type, { name: 'trigger', namespace: shop }, { type: 'merge', body });
      await dataIs(shop, 'target', { seen: 'nothing', now: 'much', later: 'much' });
    });

    it('makes once what says so, even when it is gone by then', async () => {
      const shop = await world.namespace('shop');
      await world.start();
      await world.yaml(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${label} }
spec:
  rules:
    - name: once
      match: { any: [{ resources: { kinds: [Secret], namespaces: [${shop}] } }] }
      generate:
        synchronize: false
        apiVersion: v1
        kind: ConfigMap
        name: "for-{{ request.object.metadata.labels.topic }}"
        namespace: ${shop}
        data:
          metadata: { annotations: { supercargo.dev/once-per: "{{ request.object.metadata.labels.topic }}" } }
          data: { by: "{{ request.object.metadata.name }}" }
`);
      const secret = (name: string, topic: string): Promise<KubeObject> =>
        world.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: shop, labels: { topic } } });
      await secret('a', 'red');
      await dataIs(shop, 'for-red', { by: 'a' });
      await eventually(async () =>
        expect(JSON.stringify(await world.list('v1', 'ConfigMap', 'supercargo-system'))).toMatch(
          new RegExp(`${label}-once-`),
        ),
      );
      await world.stop();
      await world.remove((await world.get('v1', 'ConfigMap', 'for-red', shop))!);
      await world.start();
      await secret('b', 'red');
      await secret('c', 'blue');
      await dataIs(shop, 'for-blue', { by: 'c' });
      expect(await data(shop, 'for-red')).toBeUndefined();
    });
  });
}
