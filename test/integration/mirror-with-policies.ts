import { describe, expect, it } from 'vitest';
import { applyJsonPatch, type Condition, isTrue, type KubeObject } from '../../src/object/index.ts';
import { configurationTypes } from '../../src/webhook/index.ts';
import { createHttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import { imagesOf, workload } from './mirror-fixture.ts';
import { annotation, type MirrorSession, patience } from './mirror-session.ts';

/** How it behaves for others: the API server while the program is down, callers of the original paths, policies. */
export function defineMirrorWithPolicies(session: MirrorSession): void {
  const { at, hostPart, imagesNow, group } = session;
  describe('with the program dead', () => {
    it('admits everything as it is, and catches up when the program is back', async () => {
      const settings = { registry: `${session.fixture.backup.host}/dead`, namespaceSelector: group('dead') };
      await session.fixture.run(settings, {
        config: {
          webhook: { port: 0, exposure: 'loopback', removeOnStop: false, service: { name: 'supercargo-all-webhook' } },
        },
      });
      await session.fixture.end();
      const { items } = await session.fixture.connection.client.list<KubeObject>(configurationTypes.mutating);
      expect(items.map(({ metadata }) => metadata.name)).toContain('supercargo-rewrite');
      const namespace = await session.fixture.namespace('dead', { group: 'dead' });
      await session.fixture.push('team/dead:1');
      const kinds = ['Deployment', 'DaemonSet', 'StatefulSet', 'CronJob'];
      for (const kind of kinds) {
        const created = await session.fixture.create(workload(kind, namespace, 'web', at('team/dead:1')));
        expect(imagesOf(created)).toEqual([at('team/dead:1')]);
      }
      await session.fixture.run(settings);
      for (const kind of kinds)
        await eventually(
          async () =>
            expect(await imagesNow(kind, namespace, 'web')).toEqual([
              `${session.fixture.backup.host}/dead/${hostPart()}/team/dead:1`,
            ]),
          patience,
        );
    }, 240_000);

    it('responds at the two original paths, and at its own', async () => {
      const { items } = await session.fixture.connection.client.list<KubeObject>(configurationTypes.mutating);
      const registered = items.find(({ metadata }) => metadata.name === 'supercargo-rewrite')!;
      const [webhook] = registered['webhooks'] as readonly {
        readonly clientConfig: { readonly url: string; readonly caBundle: string };
        readonly failurePolicy: string;
      }[];
      expect(webhook!.failurePolicy).toBe('Ignore');
      const { url, caBundle } = webhook!.clientConfig;
      const caPem = Buffer.from(caBundle, 'base64').toString();
      const client = createHttpClient({ url: new URL(url).origin, caPem, token: '' });
      const object = workload('Deployment', 'dead', 'asked', at('team/dead:1'));
      const request = {
        uid: 'one',
        kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
        resource: { group: 'apps', version: 'v1', resource: 'deployments' },
        name: 'asked',
        namespace: 'dead',
        operation: 'CREATE',
        object,
        dryRun: true,
      };
      try {
        for (const path of ['/mirror', '/imageclone-v1-deployment', '/imageclone-v1-daemonset']) {
          const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
          const { status, text } = await client.post(path, review);
          expect(status).toBe(200);
          const { response } = JSON.parse(text) as {
            readonly response: { readonly allowed: boolean; readonly patch: string };
          };
          expect(response.allowed).toBe(true);
          const patch = JSON.parse(Buffer.from(response.patch, 'base64').toString());
          expect(imagesOf(applyJsonPatch(object, patch) as unknown as KubeObject)).toEqual([
            `${session.fixture.backup.host}/dead/${hostPart()}/team/dead:1`,
          ]);
        }
      } finally {
        await client.close();
      }
    });
  });

  describe('together with policies', () => {
    it('copies the image as a policy mutated it, and evaluates policies on the copy', async () => {
      const settings = { registry: `${session.fixture.backup.host}/order`, namespaceSelector: group('order') };
      await session.fixture.run(settings, { features: ['admission', 'mirror'] });
      const namespace = await session.fixture.namespace('order', { group: 'order' });
      const match = { any: [{ resources: { kinds: ['Deployment'], namespaces: [namespace] } }] };
      const container = { name: 'main', image: at('team/order:stable') };
      const policies = {
        group: 'kyverno.io',
        version: 'v1',
        resource: 'clusterpolicies',
        kind: 'ClusterPolicy',
        namespaced: false,
      };
      const policy = {
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: 'order' },
        spec: {
          validationFailureAction: 'Enforce',
          rules: [
            {
              name: 'stable',
              match,
              mutate: {
                patchStrategicMerge: {
                  spec: { template: { spec: { containers: [{ '(image)': at('team/order:dev'), ...container }] } } },
                },
              },
            },
            {
              name: 'copies-only',
              match,
              validate: {
                message: 'only copies run here',
                pattern: {
                  spec: { template: { spec: { containers: [{ image: `${session.fixture.backup.host}/*` }] } } },
                },
              },
            },
          ],
        },
      };
      await session.fixture.connection.client.create(policies, policy);
      await eventually(async () => {
        const { status } = await session.fixture.connection.client.get<
          KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } }
        >(policies, { name: 'order' });
        expect(isTrue(status?.conditions, 'Ready')).toBe(true);
      }, patience);
      await session.fixture.push('team/order:stable');
      const created = await session.fixture.create(workload('Deployment', namespace, 'web', at('team/order:dev')));
      const copy = `${session.fixture.backup.host}/order/${hostPart()}/team/order:stable`;
      expect(imagesOf(created)).toEqual([copy]);
      expect(JSON.parse(created.metadata.annotations?.[annotation] ?? '')).toEqual({
        main: { from: at('team/order:stable'), to: copy },
      });
      await expect(
        session.fixture.create(workload('Deployment', namespace, 'bad', at('team/unknown:1'))),
      ).rejects.toThrow('only copies run here');
      await session.fixture.connection.client.delete(policies, { name: 'order' });
    }, 240_000);
  });
}
