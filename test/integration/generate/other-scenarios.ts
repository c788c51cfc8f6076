import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { clonePolicy, settingsPolicy } from './policies.ts';

/** Existing objects, loops, targets of mutations, failures, and what is made only once. */
export function defineOtherScenarios(cluster: () => Cluster): void {
  describe('generate', () => {
    let fixture: GenerateFixture;
    let label: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      label = fixture.installation;
    });
    afterEach(() => fixture.close());

    const data = async (namespace: string, name: string) =>
      (await fixture.get('v1', 'ConfigMap', name, namespace))?.['data'];
    const dataIs = (namespace: string, name: string, expected: unknown) =>
      eventually(async () => expect(await data(namespace, name)).toEqual(expected));

    it('acts on what is there already with generateExisting, and without it does not', async () => {
      await fixture.start();
      const shop = await fixture.namespace('shop', { scenario: label });
      const bank = await fixture.namespace('bank', { scenario: `${label}-plain` });
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      await fixture.yaml(settingsPolicy(`${label}-plain`, `${label}-plain`, 'synchronize: false'));
      await fixture.yaml(settingsPolicy(label, label, 'generateExisting: true'));
      await dataIs(shop, 'settings', { level: 'low' });
      await dataIs(await fixture.namespace('later', { scenario: `${label}-plain` }), 'settings', { level: 'low' });
      expect(await data(bank, 'settings')).toBeUndefined();
    });

    it('makes several objects in a loop', async () => {
      await fixture.start();
      await fixture.yaml(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${label} }
spec:
  rules:
    - name: each
      match: { any: [{ resources: { kinds: [Namespace], selector: { matchLabels: { scenario: ${label} } } } }] }
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
      const { metadata } = await fixture.put({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { generateName: 'shop-', labels: { scenario: label }, annotations: { teams: 'red,none,blue' } },
      });
      await dataIs(metadata.name!, 'team-red', { index: 'no 0' });
      await dataIs(metadata.name!, 'team-blue', { index: 'no 2' });
      expect(await data(metadata.name!, 'team-none')).toBeUndefined();
      const body = { metadata: { annotations: { teams: 'blue,green' } } };
      const type = await fixture.typeOf({ apiVersion: 'v1', kind: 'Namespace' });
      await fixture.connection.client.patch(type, { name: metadata.name! }, { type: 'merge', body });
      await dataIs(metadata.name!, 'team-green', { index: 'no 1' });
      await dataIs(metadata.name!, 'team-red', undefined);
    });

    it('goes on with other triggers when one fails for ever, and remembers it', async () => {
      await fixture.start();
      const library = await fixture.namespace('library');
      await fixture.yaml(clonePolicy(`${label}-a`, `${label}-a`, library, false));
      await fixture.yaml(settingsPolicy(`${label}-b`, `${label}-b`, 'synchronize: false'));
      await fixture.namespace('stuck', { scenario: `${label}-a` });
      for (let i = 0; i < 5; i++) {
        const shop = await fixture.namespace('shop', { scenario: `${label}-b` });
        await dataIs(shop, 'settings', { level: 'low' });
      }
      const last = await fixture.namespace('shop', { scenario: `${label}-b` });
      const made = (await fixture.get('v1', 'Namespace', last))!;
      await dataIs(last, 'settings', { level: 'low' });
      await eventually(async () => {
        const { marks, failed } = (await fixture.checkpoint()) as {
          readonly marks: Readonly<Record<string, { readonly resourceVersion: string }>>;
          readonly failed: readonly { readonly name: string }[];
        };
        expect(failed).toHaveLength(1);
        const reached = Number(marks['v1/namespaces']?.resourceVersion);
        expect(reached).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
      });
      await fixture.stop();
      await fixture.start();
      const metadata = { name: 'original', namespace: library };
      await fixture.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { page: 'one' } });
      await eventually(async () => expect((await fixture.checkpoint())['failed']).toEqual([]));
    });

    it('changes the targets of a mutation, for a trigger and for a new policy', async () => {
      await fixture.start();
      const shop = await fixture.namespace('shop');
      const put = (name: string) =>
        fixture.put({
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
      await fixture.yaml(policy(`${label}-now`, true, 'now'));
      await dataIs(shop, 'target', { seen: 'nothing', now: 'nothing' });
      await fixture.yaml(policy(`${label}-later`, false, 'later'));
      const type = await fixture.typeOf({ apiVersion: 'v1', kind: 'ConfigMap' });
      const body = { data: { seen: 'much' } };
      await fixture.connection.client.patch(type, { name: 'trigger', namespace: shop }, { type: 'merge', body });
      await dataIs(shop, 'target', { seen: 'nothing', now: 'much', later: 'much' });
    });

    it('makes once what says so, even when it is gone by then', async () => {
      const shop = await fixture.namespace('shop');
      await fixture.start();
      await fixture.yaml(`
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
        fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: shop, labels: { topic } } });
      await secret('a', 'red');
      await dataIs(shop, 'for-red', { by: 'a' });
      await eventually(async () =>
        expect(JSON.stringify(await fixture.list('v1', 'ConfigMap', 'supercargo-system'))).toMatch(
          new RegExp(`${label}-once-`),
        ),
      );
      await fixture.stop();
      await fixture.remove((await fixture.get('v1', 'ConfigMap', 'for-red', shop))!);
      await fixture.start();
      await secret('b', 'red');
      await secret('c', 'blue');
      await dataIs(shop, 'for-blue', { by: 'c' });
      expect(await data(shop, 'for-red')).toBeUndefined();
    });
  });
}
