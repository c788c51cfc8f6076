import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { mutateExistingPolicy } from './cel-policies.ts';
import { GenerateFixture } from './fixture.ts';
import { startGenerator } from './generator.ts';

const labelled = (key: string, value: string) =>
  `Object{metadata: Object.metadata{labels: Object.metadata.labels{${key}: ${value}}}}`;

/** `mutateExisting` of MutatingPolicy and NamespacedMutatingPolicy. */
export function defineCelMutateScenarios(cluster: () => Cluster): void {
  describe('mutateExisting', () => {
    let fixture: GenerateFixture;
    let label: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      label = fixture.installation;
    });
    afterEach(() => fixture.close());

    const put = (namespace: string, name: string, labels: Readonly<Record<string, string>> = {}, kind = 'ConfigMap') =>
      fixture.put({ apiVersion: 'v1', kind, metadata: { name, namespace, labels } });
    const labelsOf = async (namespace: string, name: string, kind = 'ConfigMap') =>
      (await fixture.get('v1', kind, name, namespace))?.metadata.labels ?? {};
    const labelsAre = (namespace: string, name: string, labels: object) =>
      eventually(async () => expect(await labelsOf(namespace, name)).toEqual(labels));
    const relabel = async (object: KubeObject, labels: Readonly<Record<string, string | null>>) => {
      const { name = '', namespace } = object.metadata;
      const body = { metadata: { labels } };
      await fixture.connection.client.patch(await fixture.typeOf(object), { name, namespace }, { type: 'merge', body });
    };

    it('changes the targets in selected namespaces, for old and new triggers', async () => {
      const shop = await fixture.namespace('shop', { scenario: label });
      const bank = await fixture.namespace('bank');
      await put(shop, 'target', { role: 'target' });
      await put(bank, 'target', { role: 'target' });
      await put(shop, 'other');
      const old = await put(bank, 'trigger', { of: label, level: 'low' }, 'Secret');
      await fixture.start();
      await fixture.put(
        mutateExistingPolicy(label, {
          resources: 'secrets',
          labels: { of: label },
          targets: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
            namespaceSelector: { matchLabels: { scenario: label } },
            objectSelector: { matchLabels: { role: 'target' } },
          },
          merged: labelled('level', 'request.object.metadata.labels.level'),
          admission: true,
        }),
      );
      await labelsAre(shop, 'target', { role: 'target', level: 'low' });
      await relabel(old, { level: 'high' });
      await labelsAre(shop, 'target', { role: 'target', level: 'high' });
      expect(await labelsOf(bank, 'target')).toEqual({ role: 'target' });
      expect(await labelsOf(shop, 'other')).toEqual({});
    });

    it('changes what matches itself, also what comes later, and writes only what differs', async () => {
      const shop = await fixture.namespace('shop');
      await put(shop, 'old', { of: label });
      await put(shop, 'done', { of: label, seen: 'yes' });
      const done = await fixture.get('v1', 'ConfigMap', 'done', shop);
      await fixture.start();
      const policy = await fixture.put(
        mutateExistingPolicy(label, { labels: { of: label }, merged: labelled('seen', "'yes'") }),
      );
      await labelsAre(shop, 'old', { of: label, seen: 'yes' });
      await put(shop, 'new', { of: label });
      await labelsAre(shop, 'new', { of: label, seen: 'yes' });
      await relabel((await fixture.get('v1', 'ConfigMap', 'new', shop))!, { seen: null });
      await labelsAre(shop, 'new', { of: label, seen: 'yes' });
      expect(await fixture.get('v1', 'ConfigMap', 'done', shop)).toEqual(done);
      // A new revision acts on what is there.
      const stored = (await fixture.get(policy.apiVersion, policy.kind, label))!;
      const { spec } = mutateExistingPolicy(label, { labels: { of: label }, merged: labelled('seen', "'again'") });
      await fixture.connection.client.replace(await fixture.typeOf(stored), { ...stored, spec });
      for (const name of ['old', 'done', 'new']) await labelsAre(shop, name, { of: label, seen: 'again' });
    });

    it('takes targets from an expression, and writes them only as they were read', async () => {
      const shop = await fixture.namespace('shop');
      const bank = await fixture.namespace('bank');
      for (const namespace of [shop, bank]) await put(namespace, 'target');
      await put(shop, 'blind');
      const problems = new Map<string, string>();
      const generator = await startGenerator(fixture, {
        onProblem: (policy, problem) => (problem ? problems.set(policy, problem.message) : problems.delete(policy)),
      });
      const policyFor = (name: string, target: string) =>
        mutateExistingPolicy(name, {
          resources: 'secrets',
          labels: { of: label },
          targets: { expression: `resource.Get('v1', 'configmaps', object.metadata.namespace, '${target}')` },
          merged: labelled('seen', "'yes'"),
        });
      await fixture.put(policyFor(label, 'target'));
      const blind = policyFor(`${label}-blind`, 'blind');
      const { mutations, ...spec } = blind['spec'] as { readonly mutations: readonly object[] };
      const forget = `[JSONPatch{op: 'remove', path: '/metadata/resourceVersion'}]`;
      await fixture.put({
        ...blind,
        spec: { ...spec, mutations: [...mutations, { patchType: 'JSONPatch', jsonPatch: { expression: forget } }] },
      });
      await put(shop, 'trigger', { of: label }, 'Secret');
      await labelsAre(shop, 'target', { seen: 'yes' });
      await eventually(() =>
        expect([...problems.values()].join()).toContain('would replace whatever is there; not changed'),
      );
      await generator.stop();
      expect(await labelsOf(bank, 'target')).toEqual({});
      expect(await labelsOf(shop, 'blind')).toEqual({});
    });

    it('does not act on what it writes itself when it needs the request', async () => {
      const shop = await fixture.namespace('shop');
      await fixture.start(undefined, ['admission', 'generate']);
      await fixture.put(
        mutateExistingPolicy(label, {
          labels: { of: label },
          conditions: ["request.userInfo.username != ''"],
          merged: labelled('count', "string(int(object.metadata.labels['count']) + 1)"),
        }),
      );
      let tries = 0;
      const counted = async (timeoutMs?: number) => {
        const name = `count-${++tries}`;
        await put(shop, name, { of: label, count: '0' });
        await eventually(async () => expect(await labelsOf(shop, name)).not.toMatchObject({ count: '0' }), {
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
        });
        return name;
      };
      let first = '';
      await eventually(async () => {
        first = await counted(2_000);
      });
      for (let i = 0; i < 3; i++) await counted();
      expect(await labelsOf(shop, first)).toMatchObject({ count: '1' });
    });

    it('of a namespaced policy stays in its namespace, whatever else has its name', async () => {
      const shop = await fixture.namespace('shop');
      const bank = await fixture.namespace('bank');
      for (const namespace of [shop, bank]) await put(namespace, 'one', { of: label });
      await fixture.start();
      await fixture.put(mutateExistingPolicy(label, { labels: { of: label }, merged: labelled('wide', "'yes'") }));
      await fixture.put(mutateExistingPolicy(label, { labels: { of: label }, merged: labelled('own', "'yes'") }, shop));
      await labelsAre(shop, 'one', { of: label, wide: 'yes', own: 'yes' });
      await labelsAre(bank, 'one', { of: label, wide: 'yes' });
    });
  });
}
