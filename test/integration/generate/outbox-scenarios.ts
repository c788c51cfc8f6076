import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdmittedRequest } from '../../../src/generate/index.ts';
import type { Condition, KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { GenerateFixture } from './fixture.ts';
import { type RunningGenerator, startGenerator } from './generator.ts';
import { clonePolicy } from './policies.ts';

/** Rules that only admission can serve, from the review to the object. */
export function defineOutboxScenarios(cluster: () => Cluster): void {
  describe('admission-bound rules and the program', () => {
    let fixture: GenerateFixture;
    let shop: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      shop = await fixture.namespace('shop');
    });
    afterEach(() => fixture.close());
    const secret = (name: string) =>
      fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: shop } });

    it('hear of requests through a webhook that is there only for them', async () => {
      await fixture.start(undefined, ['admission', 'generate']);
      const hooks = async () =>
        (await fixture.list('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'))
          .map(({ metadata }) => metadata.name)
          .filter((name) => name === `${fixture.installation}-policies-generate`);
      expect(await hooks()).toEqual([]);
      await fixture.yaml(
        policy(fixture.installation, shop).replaceAll(
          'request.userInfo.username',
          "split(request.userInfo.username, ':')[-1]",
        ),
      );
      await eventually(async () => expect(await hooks()).toHaveLength(1));
      let tries = 0;
      await eventually(async () => {
        const name = `try-${++tries}`;
        const made = await secret(name);
        await eventually(
          async () => {
            const all = (await fixture.list('v1', 'ConfigMap', shop)).map(({ metadata }) => metadata.name);
            expect(all.some((found) => found?.startsWith('by-') && found.endsWith(name))).toBe(true);
          },
          { timeoutMs: 2_000 },
        );
        await fixture.remove(made);
        await eventually(async () => expect(await fixture.get('v1', 'ConfigMap', `gone-${name}`, shop)).toBeDefined(), {
          timeoutMs: 2_000,
        });
      });
    });

    it('say in the status of the policy what keeps it from working', async () => {
      const library = await fixture.namespace('library');
      await fixture.start(undefined, ['admission', 'generate']);
      await fixture.yaml(clonePolicy(fixture.installation, fixture.installation, library, false));
      await fixture.namespace('bank', { scenario: fixture.installation });
      const conditions = async () => {
        const found = await fixture.get('kyverno.io/v1', 'ClusterPolicy', fixture.installation);
        const status = found?.['status'] as { readonly conditions?: readonly Condition[] } | undefined;
        return (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`).sort();
      };
      await eventually(async () =>
        expect(await conditions()).toEqual(['Ready True Succeeded', 'Working False GenerateFailed']),
      );
      const metadata = { name: 'original', namespace: library };
      await fixture.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { page: 'one' } });
      await eventually(async () => expect(await conditions()).toEqual(['Ready True Succeeded']));
    });
  });

  describe('admission-bound rules', () => {
    let fixture: GenerateFixture;
    let shop: string;
    let generator: RunningGenerator;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      shop = await fixture.namespace('shop');
      generator = await startGenerator(fixture);
      await fixture.yaml(policy(fixture.installation, shop));
    });
    afterEach(async () => {
      await generator.stop();
      await fixture.close();
    });

    const review = (
      operation: AdmittedRequest['operation'],
      object: KubeObject,
      more: Partial<AdmittedRequest> = {},
    ) => {
      const request: AdmittedRequest = {
        uid: `review-${Math.random()}`,
        operation,
        kind: { group: '', version: 'v1', kind: 'Secret' },
        resource: { group: '', version: 'v1', resource: 'secrets' },
        subresource: '',
        namespace: shop,
        name: object.metadata.name ?? '',
        ...(operation === 'DELETE' ? { oldObject: object } : { object }),
        namespaceLabels: {},
        info: { userInfo: { username: 'jane', groups: [] }, roles: [], clusterRoles: [] },
        dryRun: false,
        isTrusted: true,
        ...more,
      };
      return generator.collect(request, new AbortController().signal);
    };
    const secret = (name: string) =>
      fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: shop } });
    const made = (name: string) => fixture.get('v1', 'ConfigMap', name, shop);

    it('read the user and the deleted object, and run only for requests that were carried out', async () => {
      const first = await secret('first');
      await eventually(async () => {
        await review('CREATE', first);
        expect((await made('by-jane-first'))?.['data']).toEqual({ who: 'jane' });
      });
      await review('CREATE', { ...first, metadata: { ...first.metadata, name: 'refused', uid: 'never-stored' } });
      await review(
        'CREATE',
        { ...first, metadata: { ...first.metadata, name: 'tried' } },
        { dryRun: true, name: 'tried' },
      );
      await fixture.remove(first);
      await review('DELETE', first);
      await review('DELETE', first);
      await eventually(async () => expect((await made('gone-first'))?.['data']).toEqual({ who: 'jane' }));
      await eventually(
        async () => {
          const boxes = (await fixture.list('v1', 'ConfigMap', 'supercargo-system')).filter(
            ({ metadata }) => metadata.name === `${fixture.installation}-outbox-replica-1`,
          );
          expect(boxes.map((box) => box['data'])).toEqual([{ entries: '[]' }]);
        },
        { timeoutMs: 18_000 },
      );
      expect(await made('by-jane-refused')).toBeUndefined();
      expect(await made('by-jane-tried')).toBeUndefined();
    }, 60_000);
  });
}

const policy = (name: string, namespace: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name} }
spec:
  background: false
  rules:
    - name: who
      match: { any: [{ resources: { kinds: [Secret], namespaces: [${namespace}], operations: [CREATE] } }] }
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: "by-{{ request.userInfo.username }}-{{ request.object.metadata.name }}"
        namespace: ${namespace}
        data: { data: { who: "{{ request.userInfo.username }}" } }
    - name: gone
      match: { any: [{ resources: { kinds: [Secret], namespaces: [${namespace}], operations: [DELETE] } }] }
      generate:
        apiVersion: v1
        kind: ConfigMap
        name: "gone-{{ request.oldObject.metadata.name }}"
        namespace: ${namespace}
        data: { data: { who: "{{ request.userInfo.username }}" } }
`;
