import { expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import * as attacks from './tenant-cel-attacks.ts';
import type { TenantFixture } from './tenant-fixture.ts';

const { paths } = attacks;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const mapsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const leaked = /the-secret|dGhlLXNlY3JldA|the-setting/;

/** The effects of policies of expressions; `fixtureOf` gives the fixture once it runs. */
export function tenantCelRows(fixtureOf: () => TenantFixture) {
  const create = async (client: HttpClient, path: string, object: object) => {
    const { status, text } = await client.post(path, object);
    expect(status, text).toBe(201);
  };
  const statusOf = async (path: string) => (await fixtureOf().administrator.get(path)).status;
  /** Until a ConfigMap with this name is refused; gives the refusal. */
  const refusalOf = (name: string, namespace = 'tenant') =>
    eventually(async () => {
      const { administrator } = fixtureOf();
      const { status, body } = await administrator.post(mapsOf(namespace), { metadata: { name } });
      if (status < 300) await administrator.delete(`${mapsOf(namespace)}/${name}`);
      expect(status).toBe(400);
      return body.message as string;
    });
  const logged = (text: string) => eventually(() => expect(fixtureOf().logged()).toContain(text));
  /** Creates a policy of the tenant and, when it is in force, a ConfigMap that triggers it. */
  const triggered = async (path: string, object: attacks.CelPolicy) => {
    const { tenant } = fixtureOf();
    const { name } = object.metadata;
    await create(tenant, path, object);
    await tenant.post(mapsOf('tenant'), { metadata: { name } });
  };

  return {
    byDefault() {
      it.each(attacks.lookUps)('the look-up of %s is refused', async (name, expression, refusal) => {
        const { tenant, put } = fixtureOf();
        await put(`/api/v1/namespaces/tenant/secrets`, {
          metadata: { name: 'own' },
          stringData: { key: 'the-secret' },
        });
        await create(tenant, paths.validating, attacks.validating(name, expression));
        const message = await refusalOf(name);
        expect(message).toMatch(refusal);
        expect(message).not.toMatch(leaked);
        await tenant.delete(`${paths.validating}/${name}`);
      });

      it('no function of a namespaced policy takes a namespace', async () => {
        const { tenant } = fixtureOf();
        for (const [path, object] of attacks.namingNamespaces) {
          await eventually(async () => {
            const { status, text } = await tenant.post(path, object);
            if (status === 201) await tenant.delete(`${path}/${object.metadata.name}`);
            expect(status, text).not.toBe(201);
            expect(text).toContain('found no matching overload');
          });
        }
      });

      it('a NamespacedMutatingPolicy changes and moves nothing of another namespace', async () => {
        const { tenant, administrator } = fixtureOf();
        await create(tenant, paths.mutating, attacks.labelling('cel-label'));
        const labelsIn = async (namespace: string) => {
          const { body } = await administrator.post(`${mapsOf(namespace)}?dryRun=All`, {
            metadata: { name: 'cel-label' },
          });
          return body['metadata'].labels ?? {};
        };
        await eventually(async () => expect(await labelsIn('tenant')).toEqual({ owned: 'yes' }));
        expect(await labelsIn('victim')).toEqual({});
        await create(tenant, paths.mutating, attacks.moving('cel-move'));
        expect(await refusalOf('cel-move')).toContain('may not change the namespace of an object');
        for (const name of ['cel-label', 'cel-move']) await tenant.delete(`${paths.mutating}/${name}`);
      });

      it.each(attacks.targets)('mutateExisting of %s changes nothing of others', async (name, target) => {
        const { administrator, tenant } = fixtureOf();
        await tenant.post(mapsOf('tenant'), { metadata: { name: 'forged' } });
        await triggered(paths.mutating, attacks.labellingTargets(name, target));
        await logged(`tenant/${name}`);
        const { body: settings } = await administrator.get(`${mapsOf('victim')}/settings`);
        expect(settings['metadata'].labels ?? {}).not.toHaveProperty('owned');
        const { body: namespace } = await administrator.get('/api/v1/namespaces/victim');
        expect(namespace['metadata'].labels).not.toHaveProperty('owned');
        await tenant.delete(`${paths.mutating}/${name}`);
      });

      it.each(attacks.clusterScoped)('%s is not generated', async (name, expression, path) => {
        await triggered(paths.generating, attacks.generating(name, expression));
        await logged(`is outside of namespace tenant, where policy NamespacedGeneratingPolicy/tenant/${name}`);
        expect(await statusOf(path)).toBe(404);
        await fixtureOf().tenant.delete(`${paths.generating}/${name}`);
      });

      it('an object that names another namespace is not generated there', async () => {
        await triggered(paths.generating, attacks.renderedElsewhere('cel-rendered'));
        await logged('cross-namespace generation denied');
        await triggered(paths.generating, attacks.listedElsewhere('cel-listed'));
        // In the namespace of the policy, if anywhere.
        await eventually(async () => {
          const made = await statusOf(`${mapsOf('tenant')}/cel-listed-made`);
          expect(made === 200 || fixtureOf().logged().includes('cel-listed')).toBe(true);
        });
        for (const name of ['cel-rendered-made', 'cel-listed-made'])
          expect(await statusOf(`${mapsOf('victim')}/${name}`)).toBe(404);
      });

      it('a Secret is not cloned', async () => {
        await triggered(paths.generating, attacks.ownSecret('cel-secret-clone'));
        await logged('may not look up secrets');
      });

      it('an exception of a tenant exempts from no policy of another namespace', async () => {
        const { tenant, administrator } = fixtureOf();
        const kind = 'NamespacedValidatingPolicy';
        await create(tenant, paths.exceptions, attacks.exemption('cel-guard', kind));
        await create(administrator, paths.validatingOfVictim, attacks.validating('cel-guard', 'false', kind));
        expect(await refusalOf('cel-guard', 'victim')).toContain('Policy victim/cel-guard failed');
        await administrator.delete(`${paths.validatingOfVictim}/cel-guard`);
      });

      it('a ValidatingPolicy calls no address of the machine or its cloud, and creates nothing with POST', async () => {
        const { administrator } = fixtureOf();
        const cases = [
          ['cel-cloud', attacks.metadataService, /169\.254\.169\.254/],
          ['cel-posts', attacks.postToVictim, /lookUps\.postPaths/],
        ] as const;
        for (const [name, expression, refusal] of cases) {
          const object = attacks.validating(name, expression, 'ValidatingPolicy');
          await create(administrator, paths.validatingOfCluster, object);
          expect(await refusalOf(name)).toMatch(refusal);
          await administrator.delete(`${paths.validatingOfCluster}/${name}`);
        }
        expect(await statusOf('/apis/batch/v1/namespaces/victim/jobs/cel-posted')).toBe(404);
      });
    },

    /** The server itself refuses what we have no rights for. */
    byRights() {
      it('a RoleBinding to a role that we do not have is not generated', async () => {
        await triggered(paths.generating, attacks.bindingOfNamespace('cel-escalate'));
        await logged('cel-escalate');
        expect(await statusOf(`${rbac}/namespaces/tenant/rolebindings/cel-escalate`)).toBe(404);
      });
    },

    whenAllowed() {
      it('lookUps.serviceCallNamespaces: services are called, but none of the machine or its cloud', async () => {
        const { tenant } = fixtureOf();
        for (const [name, expression] of [
          ['cel-allowed-http', attacks.metadataService],
          ['cel-allowed-link', attacks.ownService],
        ] as const) {
          await create(tenant, paths.validating, attacks.validating(name, expression));
          expect(await refusalOf(name)).toMatch(/169\.254\.\d+\.\d+/);
          await tenant.delete(`${paths.validating}/${name}`);
        }
      });

      it('lookUps.globalContextNamespaces: entries are read', async () => {
        const { tenant, put } = fixtureOf();
        await put(paths.globalContext, attacks.globalEntry);
        await create(tenant, paths.validating, attacks.validating('cel-allowed-global', `!${attacks.globalContext}`));
        await eventually(async () => expect(await refusalOf('cel-allowed-global')).toContain('failed: no'));
        await tenant.delete(`${paths.validating}/cel-allowed-global`);
      });

      it('lookUps.postPaths and rights to generate: a policy of a namespace gains nothing from them', async () => {
        const { tenant } = fixtureOf();
        await create(tenant, paths.validating, attacks.validating('cel-allowed-post', attacks.postToOwn));
        expect(await refusalOf('cel-allowed-post')).toContain('may POST LocalSubjectAccessReviews');
        await triggered(paths.generating, attacks.bindingOfCluster('cel-allowed-bind'));
        await logged('cel-allowed-bind is outside of namespace tenant');
        expect(await statusOf(`${rbac}/clusterrolebindings/cel-allowed-bind`)).toBe(404);
        await tenant.delete(`${paths.validating}/cel-allowed-post`);
      });
    },
  };
}
