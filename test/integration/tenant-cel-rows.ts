import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import * as attacks from './tenant-cel-attacks.ts';
import type { TenantFixture } from './tenant-fixture.ts';

const { paths } = attacks;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const mapsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const leaked = /the-secret|dGhlLXNlY3JldA|the-setting/;

interface DeletingStatus {
  readonly conditionStatus?: { readonly conditions?: readonly { readonly type: string; readonly message: string }[] };
}

/** A service on this machine, which counts its calls. */
async function startService() {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls++;
    response.setHeader('content-type', 'application/json');
    response.end('{"answer": "the-answer"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls: () => calls,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

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

  /** A line of the log that tells of the policy why it was refused. */
  const loggedOf = (name: string, reason: RegExp) =>
    eventually(() => {
      const lines = fixtureOf().logged().split('\n');
      expect(lines.filter((line) => line.includes(name)).join('\n')).toMatch(reason);
    });
  const putSecret = () =>
    fixtureOf().put('/api/v1/namespaces/tenant/secrets', {
      metadata: { name: 'own' },
      stringData: { key: 'the-secret' },
    });
  const mapsIn = async (namespace: string) => {
    const { body } = await fixtureOf().administrator.get(mapsOf(namespace));
    return (body['items'] as readonly { readonly metadata: { readonly name: string } }[]).map(
      ({ metadata }) => metadata.name,
    );
  };
  const lastRun = async (name: string) => {
    const { body } = await fixtureOf().administrator.get(`${paths.deleting}/${name}`);
    const conditions = (body as { status?: DeletingStatus }).status?.conditionStatus?.conditions ?? [];
    return conditions.find(({ type }) => type === 'LastRunSucceeded')?.message ?? '';
  };

  return {
    byDefault() {
      it.each(attacks.lookUpsOf('nmpol'))(
        'a NamespacedMutatingPolicy: the look-up of %s is refused',
        async (...row) => {
          const [name, expression, refusal] = row;
          const { tenant } = fixtureOf();
          await putSecret();
          await create(tenant, paths.mutating, attacks.writing(name, expression));
          const message = await refusalOf(name);
          expect(message).toMatch(refusal);
          expect(message).not.toMatch(leaked);
          await tenant.delete(`${paths.mutating}/${name}`);
        },
      );

      it.each(attacks.lookUpsOf('ngpol'))(
        'a NamespacedGeneratingPolicy: the look-up of %s is refused',
        async (...row) => {
          const [name, expression, refusal] = row;
          await putSecret();
          await triggered(paths.generating, attacks.generatingOf(name, expression));
          await loggedOf(name, refusal);
          expect((await mapsIn('tenant')).filter((made) => made.startsWith(`${name}-`))).toEqual([]);
          await fixtureOf().tenant.delete(`${paths.generating}/${name}`);
        },
      );

      it('a NamespacedDeletingPolicy deletes nothing', async () => {
        const { tenant } = fixtureOf();
        await create(tenant, paths.deleting, attacks.deleting('cel-delete', 'true'));
        await eventually(async () =>
          expect(await lastRun('cel-delete')).toContain('may not delete configmaps; an administrator allows it'),
        );
        expect(await mapsIn('victim')).toContain('settings');
        await tenant.delete(`${paths.deleting}/cel-delete`);
      });

      it.each(attacks.lookUps)('the look-up of %s is refused', async (name, expression, refusal) => {
        const { tenant } = fixtureOf();
        await putSecret();
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
        // In the namespace of the policy, whatever the object says.
        // On a server that checks rights, it is what we have no rights for there.
        if (fixtureOf().checksRights) await loggedOf('cel-listed', /forbidden|cannot (?:create|patch|get)/);
        else await eventually(async () => expect(await statusOf(`${mapsOf('tenant')}/cel-listed-made`)).toBe(200));
        for (const name of ['cel-rendered-made', 'cel-listed-made'])
          expect(await statusOf(`${mapsOf('victim')}/${name}`)).toBe(404);
      });

      it('a Secret is not cloned', async () => {
        await triggered(paths.generating, attacks.ownSecret('cel-secret-clone'));
        await logged('may not look up secrets');
      });

      it('a NamespacedValidatingPolicy judges nothing of another namespace', async () => {
        const { tenant, administrator } = fixtureOf();
        await create(tenant, paths.validating, attacks.validating('cel-own', 'false'));
        expect(await refusalOf('cel-own')).toContain('Policy tenant/cel-own failed');
        await create(administrator, mapsOf('victim'), { metadata: { name: 'cel-own' } });
        await tenant.delete(`${paths.validating}/cel-own`);
      });

      it('an exception of a tenant exempts nothing from a ValidatingPolicy, and warns', async () => {
        const { tenant, administrator } = fixtureOf();
        const object = attacks.exemption('cel-cluster-guard', 'ValidatingPolicy');
        const { warnings } = await tenant.post(paths.exceptions, object);
        expect(warnings.join()).toContain('does not apply to policy cel-cluster-guard');
        const guard = attacks.validating('cel-cluster-guard', 'false', 'ValidatingPolicy');
        await create(administrator, paths.validatingOfCluster, guard);
        expect(await refusalOf('cel-cluster-guard')).toContain('Policy cel-cluster-guard failed');
        await administrator.delete(`${paths.validatingOfCluster}/cel-cluster-guard`);
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

    /** With `cleanup.namespacedResources`, and no look-ups allowed. */
    whenDeletionIsAllowed() {
      it.each(attacks.lookUpsOf('ndpol'))(
        'a NamespacedDeletingPolicy: the look-up of %s is refused',
        async (...row) => {
          const [name, expression, refusal] = row;
          const { tenant } = fixtureOf();
          await putSecret();
          await create(tenant, paths.deleting, attacks.deleting(name, expression));
          await eventually(async () => expect(await lastRun(name)).toMatch(refusal));
          expect(await lastRun(name)).not.toMatch(leaked);
          await tenant.delete(`${paths.deleting}/${name}`);
        },
      );

      it('a NamespacedDeletingPolicy deletes in its own namespace only', async () => {
        const { tenant, administrator } = fixtureOf();
        for (const namespace of ['tenant', 'victim'])
          await create(administrator, mapsOf(namespace), { metadata: { name: 'cel-due' } });
        await create(tenant, paths.deleting, attacks.deleting('cel-deletes', "object.metadata.name == 'cel-due'"));
        await eventually(async () => expect(await mapsIn('tenant')).not.toContain('cel-due'));
        expect(await mapsIn('victim')).toContain('cel-due');
        await tenant.delete(`${paths.deleting}/cel-deletes`);
      });
    },

    /** With `lookUps.allowAnyAddress`, as on a single machine, and services allowed for the namespace. */
    whenMachineIsAllowed() {
      it('lookUps.serviceCallNamespaces: a service is really called', async () => {
        const { tenant } = fixtureOf();
        const service = await startService();
        const expression = `!(${attacks.serviceAt(service.url)})`;
        await create(tenant, paths.validating, attacks.validating('cel-called', expression));
        expect(await refusalOf('cel-called')).toContain('Policy tenant/cel-called failed: no');
        expect(service.calls()).toBeGreaterThan(0);
        await tenant.delete(`${paths.validating}/cel-called`);
        await service.stop();
      });
    },

    whenAllowed() {
      it('lookUps.serviceCallNamespaces: no service of the machine itself is called', async () => {
        const { tenant } = fixtureOf();
        const service = await startService();
        await create(tenant, paths.validating, attacks.validating('cel-loopback', attacks.serviceAt(service.url)));
        expect(await refusalOf('cel-loopback')).toContain('127.0.0.1 is a loopback address');
        expect(service.calls()).toBe(0);
        await tenant.delete(`${paths.validating}/cel-loopback`);
        await service.stop();
      });

      it('policies.exceptionNamespaces: an exception of that namespace counts', async () => {
        const { tenant, administrator } = fixtureOf();
        const { status, warnings } = await tenant.post(
          paths.exceptions,
          attacks.exemption('cel-exempted', 'ValidatingPolicy'),
        );
        expect([status, warnings]).toEqual([201, []]);
        for (const name of ['cel-exempted', 'cel-not-exempted']) {
          const guard = attacks.validating(name, 'false', 'ValidatingPolicy');
          await create(administrator, paths.validatingOfCluster, guard);
        }
        // Both are registered together: where the one refuses, the other was asked.
        expect(await refusalOf('cel-not-exempted')).toContain('Policy cel-not-exempted failed');
        await eventually(async () => {
          const { status: made } = await administrator.post(`${mapsOf('tenant')}?dryRun=All`, {
            metadata: { name: 'cel-exempted' },
          });
          expect(made).toBe(201);
        });
        for (const name of ['cel-exempted', 'cel-not-exempted'])
          await administrator.delete(`${paths.validatingOfCluster}/${name}`);
      });

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

      it('policies.exceptionNamespaces: what an exception asks stays in its namespace', async () => {
        const { tenant, administrator } = fixtureOf();
        const kind = 'ValidatingPolicy';
        const name = 'cel-exception-asks';
        const object = attacks.askingExemption(name, kind, attacks.secretOfVictim);
        await create(tenant, paths.exceptions, object);
        await create(administrator, paths.validatingOfCluster, attacks.validating(name, 'false', kind));
        const message = await eventually(async () => {
          const refusal = await refusalOf(name);
          expect(refusal).toMatch(/of namespace tenant may only look up objects of its namespace/);
          return refusal;
        });
        expect(message).not.toMatch(leaked);
        await administrator.delete(`${paths.validatingOfCluster}/${name}`);
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
