import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import * as attacks from './tenant-attacks.ts';
import { tenantCelRows } from './tenant-cel-rows.ts';
import { createTenantFixture, type TenantFixture } from './tenant-fixture.ts';

const { clusterPolicies, policies, configMaps } = attacks.paths;
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/**
 * What a tenant may try through us: by default nothing of it works, and each works with the setting that allows it. On a
 * server without rights the rows are left out in which the server itself refuses.
 */
export function defineTenantMatrix(start: () => Promise<Cluster>, { checksRights }: { checksRights: boolean }): void {
  let cluster: Cluster | undefined;
  let fixture: TenantFixture;
  beforeAll(async () => {
    cluster = await start();
    fixture = await createTenantFixture(cluster, checksRights);
  });
  afterAll(async () => {
    await fixture?.stop();
    await cluster?.stop();
  });

  /** Creates a policy and returns the denial of a ConfigMap with its name. */
  const denialOf = async (client: HttpClient, object: attacks.PolicyLike, query = '') => {
    const { name, namespace } = object.metadata;
    const { status, text } = await client.post(namespace ? policies : clusterPolicies, object);
    expect(status, text).toBe(201);
    return refusalOf(name, query);
  };
  const refusalOf = (name: string, query = '') =>
    eventually(async () => {
      const { status, body } = await fixture.tenant.post(`${configMaps}${query}`, { metadata: { name } });
      if (status < 300 && query === '') await fixture.tenant.delete(`${configMaps}/${name}`);
      // Until the webhook is registered, everything passes.
      expect(status).toBe(400);
      return body.message;
    });
  /** Creates a policy and a ConfigMap that triggers it; the trigger is later than the policy. */
  const triggered = async (client: HttpClient, object: attacks.PolicyLike, data: Readonly<Record<string, string>>) => {
    const { name, namespace } = object.metadata;
    const { status, text } = await client.post(namespace ? policies : clusterPolicies, object);
    expect(status, text).toBe(201);
    await fixture.tenant.post(configMaps, { metadata: { name }, data });
  };
  const eventuallyLogged = (text: string) => eventually(() => expect(fixture.logged()).toContain(text));
  const cel = tenantCelRows(() => fixture);
  const statusOf = async (at: string) => (await fixture.administrator.get(at)).status;

  describe('by default', () => {
    beforeAll(() => fixture.run());

    it('a Policy reads no Secret and no ConfigMap of another namespace', async () => {
      const secret = await denialOf(fixture.tenant, attacks.leak('read-secret', attacks.secretCall));
      expect(secret).toContain('a policy of namespace tenant may only look up objects of its namespace');
      const setting = await denialOf(fixture.tenant, attacks.leak('read-setting', attacks.settingOf('victim')));
      expect(setting).toContain('a policy of namespace tenant may not look up ConfigMaps of namespace victim');
      const encoded = await denialOf(fixture.tenant, attacks.leak('read-encoded', attacks.encodedCall));
      expect(encoded).toMatch(/may only look up objects|must be an absolute path/);
      expect(secret + setting + encoded).not.toMatch(/the-secret|dGhlLXNlY3JldA|the-setting/);
    });

    it('a Policy creates nothing with POST, and a ClusterPolicy neither', async () => {
      const own = await denialOf(fixture.tenant, attacks.leak('post-own', attacks.createJob('post-own')));
      expect(own).toContain('may POST LocalSubjectAccessReviews of its namespace only');
      const object = attacks.leak('post-cluster', attacks.createJob('post-cluster'), 'ClusterPolicy');
      expect(await denialOf(fixture.administrator, object)).toContain('lookUps.postPaths');
      for (const name of ['post-own', 'post-cluster'])
        expect(await statusOf(`/apis/batch/v1/namespaces/victim/jobs/${name}`)).toBe(404);
    });

    it('a Policy generates no ClusterRoleBinding, though a variable names the kind', async () => {
      await triggered(fixture.tenant, attacks.bind('bind-own'), { kind: 'ClusterRoleBinding' });
      await eventuallyLogged('bind-own is outside of namespace tenant');
      expect(await statusOf(`${rbac}/clusterrolebindings/bind-own`)).toBe(404);
    });

    it('a Policy changes no Namespace and no object of another namespace', async () => {
      await triggered(fixture.tenant, attacks.label('label-own', 'victim'), { kind: 'Namespace' });
      await eventuallyLogged('a namespaced policy may not look up namespaces');
      await fixture.tenant.post(configMaps, { metadata: { name: 'settings' }, data: { key: 'mine' } });
      await triggered(fixture.tenant, attacks.move('move-own', 'settings'), {});
      await eventuallyLogged('a mutation must not change the kind, name or namespace of its target');
      const { body: namespace } = await fixture.administrator.get('/api/v1/namespaces/victim');
      expect(namespace.metadata.labels).not.toHaveProperty('owned');
      const { body: settings } = await fixture.administrator.get('/api/v1/namespaces/victim/configmaps/settings');
      expect(settings.data).toEqual({ key: 'the-setting' });
    });

    it('a PolicyException does not exempt from a ClusterPolicy, and warns', async () => {
      const { status, warnings } = await fixture.tenant.post(attacks.paths.exceptions, attacks.exemption('guarded'));
      expect(status).toBe(201);
      expect(warnings.join()).toContain('policies.exceptionNamespaces');
      expect(await denialOf(fixture.administrator, attacks.guard('guarded'))).toContain('guarded by the administrator');
    });
  });

  describe('by default, with policies of expressions', () => cel.byDefault());

  describe('with deletion allowed, and no look-ups', () => {
    beforeAll(async () => {
      await fixture.put(`${rbac}/clusterroles`, attacks.cleanupRights);
      await fixture.run({ cleanup: { namespacedResources: ['configmaps'] } });
    });
    cel.whenDeletionIsAllowed();
  });

  describe.runIf(checksRights)('by default, on a server that checks rights', () => {
    cel.byRights();

    it('a tenant writes no detection, and no status that confirms one or belongs to others', async () => {
      const { tenant, put } = fixture;
      await put(`${attacks.paths.automation}/imageresourcepolicies`, attacks.imagePolicy);
      await eventually(async () => {
        const { status, body } = await tenant.post(`${attacks.paths.automation}/imagedetecteds`, attacks.detection);
        if (status === 201) await tenant.delete(`${attacks.paths.automation}/imagedetecteds/forged`);
        expect([status, body.message]).toEqual([403, expect.stringContaining('only the detection and creation parts')]);
      });
      const confirmed = await tenant.patch(attacks.paths.imagePolicyStatus, attacks.confirmation, 'merge');
      expect(confirmed.status).toBe(403);
      await put(clusterPolicies, attacks.guard('others'));
      const others = await tenant.patch(`${clusterPolicies}/others/status`, attacks.readiness, 'merge');
      expect(others.status).toBe(403);
    });

    it('copies of images use no pull secret of a namespace that is not named', async () => {
      const mirror = await fixture.as('mirror');
      expect((await mirror.get('/api/v1/namespaces/victim/secrets/token')).status).toBe(403);
    });

    it('a ClusterPolicy reads no Secret', async () => {
      const object = attacks.leak('read-cluster', attacks.secretCall, 'ClusterPolicy');
      expect(await denialOf(fixture.administrator, object)).toContain('cannot get resource "secrets"');
    });

    it("no Policy of a tenant keeps others' webhooks from being registered", async () => {
      for (const object of [attacks.badExpression('bad-expression'), ...attacks.largeConditions('large')])
        expect((await fixture.tenant.post(policies, object)).status).toBe(201);
      await eventuallyLogged('webhook refused by the API server');
      await eventuallyLogged('webhook not registered');
      expect(await denialOf(fixture.administrator, attacks.guard('later'))).toContain('guarded by the administrator');
      await fixture.tenant.send('DELETE', policies);
    });
  });

  describe('with services of the machine allowed', () => {
    beforeAll(() => fixture.run({ lookUps: { allowAnyAddress: true, serviceCallNamespaces: ['tenant'] } }));
    cel.whenMachineIsAllowed();
  });

  describe('with the setting that allows it', () => {
    beforeAll(async () => {
      await fixture.put(`${rbac}/clusterroles`, attacks.generateRights);
      await fixture.put(`${rbac}/namespaces/victim/roles`, attacks.victimRole);
      await fixture.put(`${rbac}/namespaces/victim/rolebindings`, attacks.victimBinding('x-policies'));
      await fixture.run({
        policies: { exceptionNamespaces: ['tenant'] },
        lookUps: {
          postPaths: ['/apis/batch/v1/namespaces/*/jobs'],
          serviceCallNamespaces: ['tenant'],
          globalContextNamespaces: ['tenant'],
        },
      });
    });

    cel.whenAllowed();

    it('a ClusterPolicy and the right to get the object: it is read', async () => {
      const setting = attacks.leak('allowed-setting', attacks.settingOf('victim'), 'ClusterPolicy');
      expect(await denialOf(fixture.administrator, setting)).toContain('the-setting');
      const secret = attacks.leak('allowed-secret', attacks.secretCall, 'ClusterPolicy');
      expect(await denialOf(fixture.administrator, secret)).toContain('found dGhlLXNlY3JldA');
    });

    it('lookUps.postPaths: a ClusterPolicy creates with POST, but not for a dry run', async () => {
      const job = '/apis/batch/v1/namespaces/victim/jobs/allowed-post';
      const object = attacks.leak('allowed-post', attacks.createJob('allowed-post'), 'ClusterPolicy');
      const dry = await denialOf(fixture.administrator, object, '?dryRun=All');
      expect(dry).toContain('not sent for a dry run');
      expect(await statusOf(job)).toBe(404);
      await refusalOf('allowed-post');
      expect(await statusOf(job)).toBe(200);
    });

    it('a ClusterPolicy and rights by aggregation: other objects are generated and changed', async () => {
      const object = attacks.bind('allowed-bind', 'ClusterPolicy');
      await triggered(fixture.administrator, object, { kind: 'ClusterRoleBinding' });
      await eventually(async () => expect(await statusOf(`${rbac}/clusterrolebindings/allowed-bind`)).toBe(200));
      await triggered(fixture.administrator, attacks.label('allowed-label', 'victim', 'ClusterPolicy'), {
        kind: 'Namespace',
      });
      await eventually(async () => {
        const { body } = await fixture.administrator.get('/api/v1/namespaces/victim');
        expect(body.metadata.labels).toMatchObject({ owned: 'yes' });
      });
    });

    it('policies.exceptionNamespaces: an exception of that namespace counts', async () => {
      const { warnings } = await fixture.tenant.post(attacks.paths.exceptions, attacks.exemption('exempted'));
      expect(warnings).toEqual([]);
      await fixture.put(clusterPolicies, attacks.guard('exempted'));
      await fixture.put(clusterPolicies, attacks.guard('not-exempted'));
      // Both are registered together: where the one refuses, the other was asked.
      expect(await refusalOf('not-exempted')).toContain('guarded by the administrator');
      await eventually(async () => {
        const { status } = await fixture.tenant.post(configMaps, { metadata: { name: 'exempted' } });
        expect(status).toBe(201);
      });
    });

    it.runIf(checksRights)('install --mirror-namespace: pull secrets of that namespace are read', async () => {
      await fixture.install({ mirrorNamespaces: ['victim'] });
      const mirror = await fixture.as('mirror');
      await eventually(async () =>
        expect((await mirror.get('/api/v1/namespaces/victim/secrets/token')).status).toBe(200),
      );
    });

    it.runIf(checksRights)('install --detection-user: that user writes detections where RBAC allows it', async () => {
      await fixture.install({ detectionUsers: ['system:serviceaccount:tenant:attacker'] });
      await fixture.put(`${rbac}/clusterroles`, attacks.statusRights);
      await fixture.put(`${rbac}/clusterrolebindings`, attacks.statusBinding);
      await eventually(async () => {
        const { status } = await fixture.tenant.post(`${attacks.paths.automation}/imagedetecteds`, attacks.detection);
        expect(status).toBe(201);
      });
      const confirmed = await fixture.tenant.patch(attacks.paths.imagePolicyStatus, attacks.confirmation, 'merge');
      expect(confirmed.status).toBe(200);
      await eventually(async () => {
        const others = await fixture.tenant.patch(`${clusterPolicies}/others/status`, attacks.readiness, 'merge');
        expect(others.status).toBe(200);
      });
    });
  });
}
