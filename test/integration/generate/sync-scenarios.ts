import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { clonePolicy, settingsPolicy } from './policies.ts';

/** `synchronize` in all its directions, and what happens without it. */
export function defineSyncScenarios(cluster: () => Cluster): void {
  describe('synchronize', () => {
    let fixture: GenerateFixture;
    let label: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      label = fixture.installation;
    });
    afterEach(() => fixture.close());

    const settings = (namespace: string, name = 'settings') => fixture.get('v1', 'ConfigMap', name, namespace);
    const dataIs = (namespace: string, data: Readonly<Record<string, string>> | undefined, name = 'settings') =>
      eventually(async () => expect((await settings(namespace, name))?.['data']).toEqual(data));
    const write = async (namespace: string, data: Readonly<Record<string, string>>, name = 'settings') => {
      const type = await fixture.typeOf({ apiVersion: 'v1', kind: 'ConfigMap' });
      await fixture.connection.client.patch(type, { name, namespace }, { type: 'merge', body: { data } });
    };
    const relabel = async (namespace: string, scenario: string | null) => {
      const type = await fixture.typeOf({ apiVersion: 'v1', kind: 'Namespace' });
      const body = { metadata: { labels: { scenario } } };
      await fixture.connection.client.patch(type, { name: namespace }, { type: 'merge', body });
    };
    const changePolicy = async (name: string, text: string) => {
      const current = (await fixture.get('kyverno.io/v1', 'ClusterPolicy', name))!;
      const { parseYaml } = await import('../../../src/base/index.ts');
      const { spec } = parseYaml(text) as unknown as KubeObject;
      await fixture.connection.client.replace(await fixture.typeOf(current), { ...current, spec });
    };

    it('restores deleted and changed objects, also after a downtime', async () => {
      await fixture.start();
      await fixture.yaml(settingsPolicy(label, label, 'synchronize: true'));
      const shop = await fixture.namespace('shop', { scenario: label });
      await dataIs(shop, { level: 'low' });
      await write(shop, { level: 'high', more: 'x' });
      await dataIs(shop, { level: 'low' });
      await fixture.remove((await settings(shop))!);
      await dataIs(shop, { level: 'low' });
      await fixture.stop();
      await write(shop, { level: 'high' });
      await fixture.start();
      await dataIs(shop, { level: 'low' });
      await fixture.stop();
      await fixture.remove((await settings(shop))!);
      await fixture.start();
      await dataIs(shop, { level: 'low' });
    });

    it('follows a policy that changes, and removes what a removed rule made', async () => {
      await fixture.start();
      await fixture.yaml(settingsPolicy(label, label, 'synchronize: true'));
      // Trigger and changes lie within one second, if all goes well: time stamps do not tell which came first.
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      const shop = await fixture.namespace('shop', { scenario: label });
      await dataIs(shop, { level: 'low' });
      await changePolicy(label, settingsPolicy(label, label, 'synchronize: true', '{ level: middle }'));
      await dataIs(shop, { level: 'middle' });
      const renamed = settingsPolicy(label, label, 'synchronize: true').replace(
        'name: settings\n      match',
        'name: other\n      match',
      );
      await changePolicy(label, renamed);
      await dataIs(shop, undefined);
      // The other rule acts on what comes after it, and on nothing else.
      await dataIs(await fixture.namespace('bank', { scenario: label }), { level: 'low' });
      expect(await settings(shop)).toBeUndefined();
    });

    it('removes what it made when the trigger no longer matches, and when the policy is removed', async () => {
      await fixture.start();
      const [policy] = await fixture.yaml(settingsPolicy(label, label, 'synchronize: true'));
      const shop = await fixture.namespace('shop', { scenario: label });
      const bank = await fixture.namespace('bank', { scenario: label });
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await relabel(shop, null);
      await dataIs(shop, undefined);
      await dataIs(bank, { level: 'low' });
      await fixture.remove(policy!);
      await dataIs(bank, undefined);
    });

    it('deletes downstream objects when the trigger is deleted, also during a downtime', async () => {
      await fixture.start();
      const target = await fixture.namespace('target');
      const policy = settingsPolicy(label, label, 'synchronize: true')
        .replace(
          `kinds: [Namespace], selector: { matchLabels: { scenario: ${label} } }`,
          `kinds: [Secret], namespaces: [${target}]`,
        )
        .replace(
          'name: settings\n        namespace: "{{ request.object.metadata.name }}"',
          `name: "for-{{ request.object.metadata.name }}"\n        namespace: ${target}`,
        );
      await fixture.yaml(policy);
      const secret = (name: string) =>
        fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: target } });
      const [one, two] = [await secret('one'), await secret('two')];
      await dataIs(target, { level: 'low' }, 'for-one');
      await dataIs(target, { level: 'low' }, 'for-two');
      await fixture.remove(one);
      await dataIs(target, undefined, 'for-one');
      await fixture.stop();
      await fixture.remove(two);
      await fixture.start();
      await dataIs(target, undefined, 'for-two');
    });

    it('deletes downstream objects of a policy that was deleted during a downtime, unless they are orphaned', async () => {
      await fixture.start();
      const options = ['synchronize: true', 'synchronize: true\n        orphanDownstreamOnPolicyDelete: true'];
      const [goes] = await fixture.yaml(settingsPolicy(`${label}-goes`, `${label}-goes`, options[0]!));
      const [stays] = await fixture.yaml(settingsPolicy(`${label}-stays`, `${label}-stays`, options[1]!));
      const shop = await fixture.namespace('shop', { scenario: `${label}-goes` });
      const bank = await fixture.namespace('bank', { scenario: `${label}-stays` });
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await fixture.stop();
      await fixture.remove(goes!);
      await fixture.remove(stays!);
      await fixture.start();
      await dataIs(shop, undefined);
      expect((await settings(bank))?.['data']).toEqual({ level: 'low' });
    });

    it('without it nothing is changed, brought back or removed', async () => {
      await fixture.start();
      const [policy] = await fixture.yaml(settingsPolicy(label, label, 'synchronize: false'));
      const [shop, bank] = [
        await fixture.namespace('shop', { scenario: label }),
        await fixture.namespace('bank', { scenario: label }),
      ];
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await write(shop, { level: 'high' });
      await fixture.remove((await settings(bank))!);
      await relabel(shop, null);
      await fixture.remove(policy!);
      await fixture.yaml(settingsPolicy(`${label}-marker`, `${label}-marker`, 'synchronize: false'));
      const later = await fixture.namespace('later', { scenario: `${label}-marker` });
      await dataIs(later, { level: 'low' });
      expect((await settings(shop))?.['data']).toEqual({ level: 'high' });
      expect(await settings(bank)).toBeUndefined();
    });

    it('never changes an object of another owner that has the target name', async () => {
      await fixture.start();
      const shop = await fixture.namespace('shop');
      const metadata = { name: 'settings', namespace: shop };
      const theirs = await fixture.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { level: 'theirs' } });
      const [policy] = await fixture.yaml(settingsPolicy(label, label, 'synchronize: true'));
      await relabel(shop, label);
      await eventually(async () => {
        const events = (await fixture.list('v1', 'Event')).filter(({ involvedObject }) =>
          JSON.stringify(involvedObject).includes(policy!.metadata.uid!),
        );
        expect(events.map((event) => `${event['reason']}: ${event['message']}`).join('\n')).toMatch(
          /PolicyError: configmaps .*settings exists and does not belong to this rule/,
        );
      });
      await fixture.remove(policy!);
      const marker = `${label}-marker`;
      await fixture.yaml(settingsPolicy(marker, marker, 'synchronize: true'));
      await dataIs(await fixture.namespace('later', { scenario: marker }), { level: 'low' });
      const after = await settings(shop);
      expect(after?.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    });

    it('keeps a clone like its source, and works when the source comes after the trigger', async () => {
      await fixture.start();
      const library = await fixture.namespace('library');
      await fixture.yaml(clonePolicy(label, label, library, true));
      const shop = await fixture.namespace('shop', { scenario: label });
      await eventually(async () => expect(JSON.stringify(await fixture.checkpoint())).toMatch(/original not found/));
      const original = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'original', namespace: library } };
      await fixture.put({ ...original, data: { page: 'one' } });
      await dataIs(shop, { page: 'one' }, 'copied');
      await write(library, { page: 'two' }, 'original');
      await dataIs(shop, { page: 'two' }, 'copied');
      expect((await settings(shop, 'copied'))?.metadata.labels).toMatchObject({
        'generate.kyverno.io/clone-source': '',
        'generate.kyverno.io/source-name': 'original',
        'generate.kyverno.io/source-namespace': library,
        'generate.kyverno.io/source-kind': 'ConfigMap',
        'generate.kyverno.io/source-version': 'v1',
        'generate.kyverno.io/source-group': '',
      });
      await fixture.remove({ ...original });
      await dataIs(shop, undefined, 'copied');
    });

    it('deletes a clone whose source was deleted during a downtime', async () => {
      await fixture.start();
      const library = await fixture.namespace('library');
      const metadata = { name: 'original', namespace: library };
      const original = await fixture.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { page: 'one' } });
      await fixture.yaml(clonePolicy(label, label, library, true));
      const shop = await fixture.namespace('shop', { scenario: label });
      await dataIs(shop, { page: 'one' }, 'copied');
      await fixture.stop();
      await fixture.remove(original);
      await fixture.start();
      await dataIs(shop, undefined, 'copied');
    });

    it('clones lists, those that grow and shrink too', async () => {
      await fixture.start();
      const library = await fixture.namespace('library');
      const book = (name: string, title: string) =>
        fixture.put({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: library, labels: { shelf: 'open' } },
          data: { title },
        });
      await book('first', 'A');
      const rule = clonePolicy(label, label, library, true);
      const at = rule.indexOf('        apiVersion: v1\n');
      await fixture.yaml(
        `${rule.slice(0, at)}        namespace: "{{ request.object.metadata.name }}"
        cloneList: { namespace: ${library}, kinds: [v1/ConfigMap], selector: { matchLabels: { shelf: open } } }\n`,
      );
      const shop = await fixture.namespace('shop', { scenario: label });
      await dataIs(shop, { title: 'A' }, 'first');
      await book('second', 'B');
      await dataIs(shop, { title: 'B' }, 'second');
      await fixture.remove({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first', namespace: library } });
      await dataIs(shop, undefined, 'first');
      await dataIs(shop, { title: 'B' }, 'second');
    });
  });
}
