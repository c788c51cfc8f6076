import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { clonePolicy, settingsPolicy } from './policies.ts';
import { World } from './world.ts';

/** `synchronize` in all its directions, and what happens without it. */
export function defineSyncStories(cluster: () => Cluster): void {
  describe('synchronize', () => {
    let world: World;
    let label: string;
    beforeEach(async () => {
      world = await World.open(cluster());
      label = world.installation;
    });
    afterEach(() => world.close());

    const settings = (namespace: string, name = 'settings') => world.get('v1', 'ConfigMap', name, namespace);
    const dataIs = (namespace: string, data: Readonly<Record<string, string>> | undefined, name = 'settings') =>
      eventually(async () => expect((await settings(namespace, name))?.['data']).toEqual(data));
    const write = async (namespace: string, data: Readonly<Record<string, string>>, name = 'settings') => {
      const type = await world.typeOf({ apiVersion: 'v1', kind: 'ConfigMap' });
      await world.connection.client.patch(type, { name, namespace }, { type: 'merge', body: { data } });
    };
    const relabel = async (namespace: string, story: string | null) => {
      const type = await world.typeOf({ apiVersion: 'v1', kind: 'Namespace' });
      const body = { metadata: { labels: { story } } };
      await world.connection.client.patch(type, { name: namespace }, { type: 'merge', body });
    };
    const changePolicy = async (name: string, text: string) => {
      const current = (await world.get('kyverno.io/v1', 'ClusterPolicy', name))!;
      const { parseYaml } = await import('../../../src/base/index.ts');
      const { spec } = parseYaml(text) as unknown as KubeObject;
      await world.connection.client.replace(await world.typeOf(current), { ...current, spec });
    };

    it('brings back what was removed and reverts what was changed, also while nobody looked', async () => {
      await world.start();
      await world.yaml(settingsPolicy(label, label, 'synchronize: true'));
      const shop = await world.namespace('shop', { story: label });
      await dataIs(shop, { level: 'low' });
      await write(shop, { level: 'high', more: 'x' });
      await dataIs(shop, { level: 'low' });
      await world.remove((await settings(shop))!);
      await dataIs(shop, { level: 'low' });
      await world.stop();
      await write(shop, { level: 'high' });
      await world.start();
      await dataIs(shop, { level: 'low' });
      await world.stop();
      await world.remove((await settings(shop))!);
      await world.start();
      await dataIs(shop, { level: 'low' });
    });

    it('follows a policy that changes, and removes what a removed rule made', async () => {
      await world.start();
      await world.yaml(settingsPolicy(label, label, 'synchronize: true'));
      // Trigger and changes lie within one second, if all goes well: time stamps do not tell which came first.
      const second = () => Math.floor(Date.now() / 1000);
      const begun = second();
      await eventually(() => expect(second()).toBeGreaterThan(begun));
      const shop = await world.namespace('shop', { story: label });
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
      await dataIs(await world.namespace('bank', { story: label }), { level: 'low' });
      expect(await settings(shop)).toBeUndefined();
    });

    it('removes what it made when the trigger no longer matches, and when the policy is removed', async () => {
      await world.start();
      const [policy] = await world.yaml(settingsPolicy(label, label, 'synchronize: true'));
      const shop = await world.namespace('shop', { story: label });
      const bank = await world.namespace('bank', { story: label });
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await relabel(shop, null);
      await dataIs(shop, undefined);
      await dataIs(bank, { level: 'low' });
      await world.remove(policy!);
      await dataIs(bank, undefined);
    });

    it('removes what it made when the trigger is removed, also while nobody looked', async () => {
      await world.start();
      const target = await world.namespace('target');
      const policy = settingsPolicy(label, label, 'synchronize: true')
        .replace(
          `kinds: [Namespace], selector: { matchLabels: { story: ${label} } }`,
          `kinds: [Secret], namespaces: [${target}]`,
        )
        .replace(
          'name: settings\n        namespace: "{{ request.object.metadata.name }}"',
          `name: "for-{{ request.object.metadata.name }}"\n        namespace: ${target}`,
        );
      await world.yaml(policy);
      const secret = (name: string) =>
        world.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: target } });
      const [one, two] = [await secret('one'), await secret('two')];
      await dataIs(target, { level: 'low' }, 'for-one');
      await dataIs(target, { level: 'low' }, 'for-two');
      await world.remove(one);
      await dataIs(target, undefined, 'for-one');
      await world.stop();
      await world.remove(two);
      await world.start();
      await dataIs(target, undefined, 'for-two');
    });

    it('removes what a policy made that was removed while nobody looked, unless it is to be orphaned', async () => {
      await world.start();
      const options = ['synchronize: true', 'synchronize: true\n        orphanDownstreamOnPolicyDelete: true'];
      const [goes] = await world.yaml(settingsPolicy(`${label}-goes`, `${label}-goes`, options[0]!));
      const [stays] = await world.yaml(settingsPolicy(`${label}-stays`, `${label}-stays`, options[1]!));
      const shop = await world.namespace('shop', { story: `${label}-goes` });
      const bank = await world.namespace('bank', { story: `${label}-stays` });
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await world.stop();
      await world.remove(goes!);
      await world.remove(stays!);
      await world.start();
      await dataIs(shop, undefined);
      expect((await settings(bank))?.['data']).toEqual({ level: 'low' });
    });

    it('without it nothing is changed, brought back or removed', async () => {
      await world.start();
      const [policy] = await world.yaml(settingsPolicy(label, label, 'synchronize: false'));
      const [shop, bank] = [
        await world.namespace('shop', { story: label }),
        await world.namespace('bank', { story: label }),
      ];
      await dataIs(shop, { level: 'low' });
      await dataIs(bank, { level: 'low' });
      await write(shop, { level: 'high' });
      await world.remove((await settings(bank))!);
      await relabel(shop, null);
      await world.remove(policy!);
      await world.yaml(settingsPolicy(`${label}-marker`, `${label}-marker`, 'synchronize: false'));
      const later = await world.namespace('later', { story: `${label}-marker` });
      await dataIs(later, { level: 'low' });
      expect((await settings(shop))?.['data']).toEqual({ level: 'high' });
      expect(await settings(bank)).toBeUndefined();
    });

    it('never touches an object of somebody else, whose name it wants', async () => {
      await world.start();
      const shop = await world.namespace('shop');
      const metadata = { name: 'settings', namespace: shop };
      const theirs = await world.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { level: 'theirs' } });
      const [policy] = await world.yaml(settingsPolicy(label, label, 'synchronize: true'));
      await relabel(shop, label);
      await eventually(async () => {
        const events = (await world.list('v1', 'Event')).filter(({ involvedObject }) =>
          JSON.stringify(involvedObject).includes(policy!.metadata.uid!),
        );
        expect(events.map((event) => `${event['reason']}: ${event['message']}`).join('\n')).toMatch(
          /PolicyError: configmaps .*settings exists and does not belong to this rule/,
        );
      });
      await world.remove(policy!);
      const marker = `${label}-marker`;
      await world.yaml(settingsPolicy(marker, marker, 'synchronize: true'));
      await dataIs(await world.namespace('later', { story: marker }), { level: 'low' });
      const after = await settings(shop);
      expect(after?.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    });

    it('keeps a clone like its source, and works when the source comes after the trigger', async () => {
      await world.start();
      const library = await world.namespace('library');
      await world.yaml(clonePolicy(label, label, library, true));
      const shop = await world.namespace('shop', { story: label });
      await eventually(async () => expect(JSON.stringify(await world.checkpoint())).toMatch(/original not found/));
      const original = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'original', namespace: library } };
      await world.put({ ...original, data: { page: 'one' } });
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
      await world.remove({ ...original });
      await dataIs(shop, undefined, 'copied');
    });

    it('removes a clone whose source was removed while nobody looked', async () => {
      await world.start();
      const library = await world.namespace('library');
      const metadata = { name: 'original', namespace: library };
      const original = await world.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { page: 'one' } });
      await world.yaml(clonePolicy(label, label, library, true));
      const shop = await world.namespace('shop', { story: label });
      await dataIs(shop, { page: 'one' }, 'copied');
      await world.stop();
      await world.remove(original);
      await world.start();
      await dataIs(shop, undefined, 'copied');
    });

    it('clones lists, those that grow and shrink too', async () => {
      await world.start();
      const library = await world.namespace('library');
      const book = (name: string, title: string) =>
        world.put({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: library, labels: { shelf: 'open' } },
          data: { title },
        });
      await book('first', 'A');
      const rule = clonePolicy(label, label, library, true);
      const at = rule.indexOf('        apiVersion: v1\n');
      await world.yaml(
        `${rule.slice(0, at)}        namespace: "{{ request.object.metadata.name }}"
        cloneList: { namespace: ${library}, kinds: [v1/ConfigMap], selector: { matchLabels: { shelf: open } } }\n`,
      );
      const shop = await world.namespace('shop', { story: label });
      await dataIs(shop, { title: 'A' }, 'first');
      await book('second', 'B');
      await dataIs(shop, { title: 'B' }, 'second');
      await world.remove({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first', namespace: library } });
      await dataIs(shop, undefined, 'first');
      await dataIs(shop, { title: 'B' }, 'second');
    });
  });
}
