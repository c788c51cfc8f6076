import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { generatingPolicy, on, settingsTemplate } from './cel-policies.ts';
import { GenerateFixture } from './fixture.ts';

/** GeneratingPolicy and NamespacedGeneratingPolicy of `policies.kyverno.io`. */
export function defineCelScenarios(cluster: () => Cluster): void {
  describe('policies of expressions', () => {
    let fixture: GenerateFixture;
    let label: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      label = fixture.installation;
    });
    afterEach(() => fixture.close());

    const read = (kind: string, namespace: string, name: string) => fixture.get('v1', kind, name, namespace);
    const dataIs = (namespace: string, data: object | undefined, name = 'settings') =>
      eventually(async () => expect((await read('ConfigMap', namespace, name))?.['data']).toEqual(data));
    const patch = async (object: KubeObject, body: Readonly<Record<string, unknown>>) => {
      const { name = '', namespace } = object.metadata;
      const type = await fixture.typeOf(object);
      await fixture.connection.client.patch(type, { name, namespace }, { type: 'merge', body });
    };
    const configMap = (namespace: string, name: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
    });
    const relabel = (namespace: string, labels: Readonly<Record<string, string | null>>) =>
      patch({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { metadata: { labels } });
    const levels = (name: string, evaluation: object = {}) =>
      generatingPolicy(name, {
        labels: { scenario: label },
        conditions: ["object.metadata.labels.?level.orValue('') != ''"],
        template: settingsTemplate,
        evaluation,
      });

    it('generate for what their constraints, conditions and exceptions leave', async () => {
      await fixture.start();
      await fixture.put({
        apiVersion: 'policies.kyverno.io/v1',
        kind: 'PolicyException',
        metadata: { name: label, namespace: 'default' },
        spec: {
          policyRefs: [{ name: label, kind: 'GeneratingPolicy' }],
          matchConditions: [{ name: 'c', expression: "object.metadata.name.startsWith('excused')" }],
        },
      });
      const policy = await fixture.put(levels(label));
      const excused = await fixture.namespace('excused', { scenario: label, level: 'low' });
      const plain = await fixture.namespace('plain', { scenario: label });
      const other = await fixture.namespace('other', { level: 'low' });
      const shop = await fixture.namespace('shop', { scenario: label, level: 'low' });
      await dataIs(shop, { level: 'low' });
      const made = (await read('ConfigMap', shop, 'settings'))!;
      expect(made.metadata.labels).toMatchObject({
        'app.kubernetes.io/managed-by': 'kyverno',
        'generate.kyverno.io/policy-name': label,
        'generate.kyverno.io/policy-namespace': '',
        'generate.kyverno.io/trigger-kind': 'Namespace',
        'supercargo.dev/owner': label,
      });
      for (const namespace of [excused, plain, other]) await dataIs(namespace, undefined);
      await eventually(async () => {
        const events = (await fixture.list('v1', 'Event')).filter(({ reason }) => reason === 'PolicyApplied');
        const about = events.map((event) => (event['involvedObject'] as Readonly<Record<string, string>>)['uid']);
        expect(about).toContain(policy.metadata.uid);
      });
      // Without synchronize nothing is kept.
      await patch(configMap(shop, 'settings'), { data: { level: 'mine' } });
      await relabel(shop, { level: 'high' });
      await relabel(plain, { level: 'middle' });
      await dataIs(plain, { level: 'middle' });
      await dataIs(shop, { level: 'mine' });
    });

    it('keep what they generate with synchronize, also after a downtime', async () => {
      await fixture.start();
      await fixture.put(levels(label, { synchronize: on }));
      const shop = await fixture.namespace('shop', { scenario: label, level: 'low' });
      const bank = await fixture.namespace('bank', { scenario: label, level: 'low' });
      await dataIs(shop, { level: 'low' });
      await patch(configMap(shop, 'settings'), { data: { level: 'high', more: 'x' } });
      await dataIs(shop, { level: 'low' });
      await fixture.remove(configMap(shop, 'settings'));
      await dataIs(shop, { level: 'low' });
      await relabel(shop, { level: 'middle' });
      await dataIs(shop, { level: 'middle' });
      await fixture.stop();
      await fixture.remove(configMap(shop, 'settings'));
      await dataIs(bank, { level: 'low' });
      await relabel(bank, { level: 'high' });
      await fixture.start();
      await dataIs(shop, { level: 'middle' });
      await dataIs(bank, { level: 'high' });
      // It matches no longer: by its condition, by its constraints.
      await relabel(shop, { level: null });
      await dataIs(shop, undefined);
      await relabel(bank, { scenario: null });
      await dataIs(bank, undefined);
    });

    it('take along what they generated when they are deleted, unless it is to stay', async () => {
      await fixture.start();
      const going = await fixture.put(levels(label, { synchronize: on }));
      const shop = await fixture.namespace('shop', { scenario: label, level: 'low' });
      await dataIs(shop, { level: 'low' });
      await fixture.remove(going);
      await dataIs(shop, undefined);
      const staying = await fixture.put(
        levels(`${label}-orphan`, { synchronize: on, orphanDownstreamOnPolicyDelete: on }),
      );
      const bank = await fixture.namespace('bank', { scenario: label, level: 'low' });
      await dataIs(bank, { level: 'low' });
      const before = await read('ConfigMap', bank, 'settings');
      await fixture.remove(staying);
      await fixture.put(levels(`${label}-later`));
      const park = await fixture.namespace('park', { scenario: label, level: 'low' });
      await dataIs(park, { level: 'low' });
      expect(await read('ConfigMap', bank, 'settings')).toEqual(before);
    });

    it('update and remove copies with their source, and leave them when they are deleted', async () => {
      const origin = await fixture.namespace('origin');
      const source = (name: string) => ({ ...configMap(origin, name), data: { from: name } });
      for (const name of ['one', 'two']) await fixture.put(source(name));
      await fixture.start();
      const policy = await fixture.put(
        generatingPolicy(label, {
          labels: { scenario: label },
          variables: {
            all: `resource.List('v1', 'configmaps', '${origin}').items.filter(i, i.metadata.name in ['one', 'two'])`,
          },
          expression: 'generator.Apply(object.metadata.name, variables.all)',
          evaluation: { synchronize: on },
        }),
      );
      const shop = await fixture.namespace('shop', { scenario: label });
      await dataIs(shop, { from: 'one' }, 'one');
      await dataIs(shop, { from: 'two' }, 'two');
      await patch(configMap(origin, 'one'), { data: { from: 'elsewhere' } });
      await dataIs(shop, { from: 'elsewhere' }, 'one');
      await patch(configMap(shop, 'two'), { data: { from: 'shop' } });
      await dataIs(shop, { from: 'two' }, 'two');
      await fixture.remove(configMap(origin, 'two'));
      await dataIs(shop, undefined, 'two');
      await dataIs(shop, { from: 'elsewhere' }, 'one');
      await fixture.stop();
      await patch(configMap(origin, 'one'), { data: { from: 'downtime' } });
      await fixture.start();
      await dataIs(shop, { from: 'downtime' }, 'one');
      await fixture.remove(policy);
      // Whatever was to happen has happened when a later policy has had its effect.
      await fixture.put(levels(`${label}-later`));
      await dataIs(await fixture.namespace('marker', { scenario: label, level: 'low' }), { level: 'low' });
      await dataIs(shop, { from: 'downtime' }, 'one');
    });

    it('generate for existing objects with generateExisting, and for no others without admission', async () => {
      const old = await fixture.namespace('old', { scenario: label, level: 'low' });
      await fixture.start();
      await fixture.put(levels(label, { generateExisting: on, admission: { enabled: false } }));
      await dataIs(old, { level: 'low' });
      const fresh = await fixture.namespace('fresh', { scenario: label, level: 'low' });
      await fixture.put(
        generatingPolicy(`${label}-marker`, {
          labels: { marker: label },
          template: settingsTemplate,
        }),
      );
      const marker = await fixture.namespace('marker', { marker: label, level: 'high' });
      await dataIs(marker, { level: 'high' });
      await dataIs(fresh, undefined);
    });

    it('generate for a deletion, which only a request tells', async () => {
      await fixture.start(undefined, ['generate', 'admission']);
      const shop = await fixture.namespace('shop');
      await fixture.put(
        generatingPolicy(label, {
          resources: 'configmaps',
          operations: ['DELETE'],
          conditions: [`oldObject.metadata.namespace == '${shop}'`],
          template: `{apiVersion: v1, kind: Secret, metadata: {name: (( 'was-' + oldObject.metadata.name )), namespace: ${shop}}}`,
        }),
      );
      await eventually(async () => {
        await fixture.put({ ...configMap(shop, 'note') });
        await fixture.remove(configMap(shop, 'note'));
        expect(await read('Secret', shop, 'was-note')).toBeDefined();
      });
    });

    it('of one name and two kinds do not meddle with each other, and one of a namespace stays in it', async () => {
      await fixture.start();
      const shop = await fixture.namespace('shop');
      const bank = await fixture.namespace('bank');
      const named = (suffix: string, target: string, namespace?: string) =>
        generatingPolicy(
          label,
          {
            resources: 'configmaps',
            labels: { scenario: label },
            template: `{apiVersion: v1, kind: Secret, metadata: {name: (( object.metadata.name + '-${suffix}' )), namespace: (( ${target} ))}}`,
            evaluation: { synchronize: on },
          },
          namespace,
        );
      const wide = await fixture.put(named('wide', 'object.metadata.namespace'));
      await fixture.put(named('own', "object.metadata.?annotations.place.orValue('')", shop));
      const trigger = (namespace: string, name: string, place: string) =>
        fixture.put({
          ...configMap(namespace, name),
          metadata: { name, namespace, labels: { scenario: label }, annotations: { place } },
        });
      await trigger(bank, 'one', bank);
      await trigger(shop, 'one', shop);
      await trigger(shop, 'two', bank);
      const secretsAre = (namespace: string, names: readonly string[]) =>
        eventually(async () => {
          const found = (await fixture.list('v1', 'Secret', namespace)).map(({ metadata }) => metadata.name);
          expect(found.sort()).toEqual(names);
        });
      await secretsAre(shop, ['one-own', 'one-wide', 'two-wide']);
      await secretsAre(bank, ['one-wide']);
      await fixture.remove(wide);
      await secretsAre(shop, ['one-own']);
      await secretsAre(bank, []);
    });
  });
}
