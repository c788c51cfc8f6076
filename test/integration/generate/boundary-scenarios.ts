import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyProblem } from '../../../src/generate/index.ts';
import type { KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { startWebhookServer } from '../../support/webhook-server.ts';
import { withoutRights } from '../faulty-client.ts';
import { GenerateFixture } from './fixture.ts';
import { startGenerator } from './generator.ts';
import { jobNameOf } from './job-scenarios.ts';
import { jobPolicy } from './policies.ts';

/** Where generation ends: what others refuse, and what it may not do itself. */
export function defineBoundaryScenarios(
  cluster: () => Cluster,
  options: { readonly checksPermissions: boolean },
): void {
  describe('generate', () => {
    let fixture: GenerateFixture;
    let shop: string;
    beforeEach(async () => {
      fixture = await GenerateFixture.open(cluster());
      shop = await fixture.namespace('shop');
    });
    afterEach(() => fixture.close());

    it('makes nothing for a pod that a webhook refuses, and registers none itself', async () => {
      const hook = await startWebhookServer(({ object }) => {
        const labels = (object?.['metadata'] as KubeObject['metadata'] | undefined)?.labels;
        return labels?.['refuse'] ? { allowed: false, status: { message: 'not this one' } } : {};
      });
      try {
        await fixture.start();
        await fixture.yaml(jobPolicy(`job-${shop}`, shop));
        await fixture.put({
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: 'ValidatingWebhookConfiguration',
          metadata: { name: `refuse-${shop}` },
          webhooks: [
            {
              name: 'refuse.example.com',
              clientConfig: { url: `${hook.url}/`, caBundle: hook.caBundle },
              rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': shop } },
              admissionReviewVersions: ['v1'],
              sideEffects: 'None',
            },
          ],
        });
        const refused = () => fixture.pod(shop, 'refused', 'nginx:1.21', { labels: { refuse: 'yes' } });
        await eventually(async () => {
          const answer = await refused().then(
            () => 'created',
            (thrown: Error) => thrown.message,
          );
          if (answer === 'created')
            await fixture.remove({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'refused', namespace: shop } });
          expect(answer).toMatch(/not this one/);
        });
        for (const name of await fixture.jobs(shop))
          await fixture.remove({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: shop } });
        await expect(refused()).rejects.toThrow(/not this one/);
        await fixture.pod(shop, 'marker', 'redis:6.2');
        await eventually(async () => expect(await fixture.jobs(shop)).toEqual([jobNameOf('redis:6.2')]));
        const hooks = await fixture.list('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration');
        expect(
          hooks.filter(({ metadata }) => metadata.labels?.['supercargo.dev/owner'] === fixture.installation),
        ).toEqual([]);
      } finally {
        await hook.close();
      }
    });

    it('says which kinds it may not list, goes on with the others, and catches up when it may', async () => {
      let mayList = false;
      const problems = new Map<string, PolicyProblem>();
      const metrics = new Registry();
      const generator = await startGenerator(fixture, {
        client: withoutRights(fixture.connection.client, ({ resource }) => resource === 'secrets' && !mayList),
        onProblem: (policy, problem) => (problem ? problems.set(policy, problem) : problems.delete(policy)),
        metrics,
      });
      const failingKinds = async () =>
        (await metrics.getSingleMetric('supercargo_generate_failing_kinds')!.get()).values[0]?.value;
      const notes = (name: string, kind: string, data: object) => ({
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: `${name}-${shop}` },
        spec: {
          rules: [
            {
              name: 'note',
              match: { any: [{ resources: { kinds: [kind], namespaces: [shop] } }] },
              generate: {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                name: `${name}-{{ request.object.metadata.name }}`,
                namespace: shop,
                synchronize: false,
                ...data,
              },
            },
          ],
        },
      });
      const data = { data: { data: { by: 'supercargo' } } };
      const made = async () =>
        (await fixture.list('v1', 'ConfigMap'))
          .filter(
            ({ metadata }) => metadata.namespace === shop && /^(?:secret|service|copy)-/.test(metadata.name ?? ''),
          )
          .map(({ metadata }) => metadata.name)
          .sort();
      const message = "missing permission: cannot list or watch secrets; allow it to Supercargo's service account";
      try {
        await fixture.put(notes('secret', 'Secret', data));
        await fixture.put({
          ...notes('copy', 'Service', { kind: 'Secret', clone: { namespace: shop, name: 'key' }, synchronize: true }),
        });
        await fixture.put(notes('service', 'Service', data));
        const lacking = { reason: 'MissingPermission', message };
        await eventually(() =>
          expect(Object.fromEntries(problems)).toEqual({ [`secret-${shop}`]: lacking, [`copy-${shop}`]: lacking }),
        );
        expect(await failingKinds()).toBe(1);
        await fixture.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key', namespace: shop } });
        const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: shop } };
        await fixture.put({ ...service, spec: { ports: [{ port: 80 }] } });
        await eventually(async () => expect(await made()).toEqual(['service-web']));
        // Work that succeeds does not hide that a kind cannot be listed.
        expect(problems.get(`secret-${shop}`)).toEqual(lacking);
        await fixture.remove(notes('copy', 'Service', {}));
        await eventually(() => expect([...problems.keys()]).toEqual([`secret-${shop}`]));
        mayList = true;
        await eventually(
          async () => {
            expect(await made()).toEqual(['secret-key', 'service-web']);
            expect(problems.size).toBe(0);
          },
          { timeoutMs: 60_000 },
        );
        expect(await failingKinds()).toBe(0);
      } finally {
        await generator.stop();
      }
    }, 120_000);

    const title = 'says which permission it lacks, and goes on when it is given';
    if (!options.checksPermissions)
      process.stderr.write('the test of a missing permission is skipped: this server checks none\n');
    it.skipIf(!options.checksPermissions)(title, async () => {
      const account = { name: `least-${shop}`, namespace: 'supercargo-system' };
      await fixture.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
      await grant(fixture, account, 'base', [
        { apiGroups: ['kyverno.io', 'policies.kyverno.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ]);
      const dir = mkdtempSync(path.join(tmpdir(), 'supercargo-least-'));
      try {
        const kubeconfig = path.join(dir, 'kubeconfig');
        writeFileSync(kubeconfig, await kubeconfigOf(fixture, cluster(), account));
        await fixture.start(kubeconfig);
        const [policy] = await fixture.yaml(jobPolicy(`job-${shop}`, shop));
        await fixture.pod(shop, 'first', 'nginx:1.21');
        await eventually(async () => {
          const events = (await fixture.list('v1', 'Event')).filter(
            ({ involvedObject }) => (involvedObject as { readonly uid?: string }).uid === policy!.metadata.uid,
          );
          expect(events.map((event) => `${event['reason']}: ${event['message']}`).join('\n')).toBe(
            `PolicyError: missing permission: cannot create jobs.batch in namespace ${shop}; allow it to Supercargo's service account`,
          );
        });
        await grant(fixture, account, 'jobs', [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }]);
        await eventually(async () => expect(await fixture.jobs(shop)).toEqual([jobNameOf('nginx:1.21')]), {
          timeoutMs: 20_000,
        });
      } finally {
        await fixture.stop();
        rmSync(dir, { recursive: true, force: true });
      }
    });
  });
}

interface Account {
  readonly name: string;
  readonly namespace: string;
}

async function grant(
  fixture: GenerateFixture,
  account: Account,
  what: string,
  rules: readonly unknown[],
): Promise<void> {
  const name = `${account.name}-${what}`;
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await fixture.put({ apiVersion, kind: 'ClusterRole', metadata: { name }, rules });
  await fixture.put({
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
}

async function kubeconfigOf(fixture: GenerateFixture, cluster: Cluster, account: Account): Promise<string> {
  const type = await fixture.typeOf({ apiVersion: 'v1', kind: 'ServiceAccount' });
  const answer = await fixture.connection.client.create<KubeObject>(
    type,
    { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: account, spec: { audiences: [] } },
    { subresource: 'token' },
  );
  const { token } = answer['status'] as { readonly token: string };
  return readFileSync(cluster.kubeconfigPath, 'utf8').replaceAll(cluster.token, token);
}
