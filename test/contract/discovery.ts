import { expect, it } from 'vitest';
import { expectCode, type Fixture } from './fixture.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface ApiResource {
  readonly name: string;
  readonly [field: string]: unknown;
}

const resourceOf = (body: Readonly<Record<string, unknown>>, name: string) =>
  (body['resources'] as readonly ApiResource[]).find((resource) => resource.name === name);

export function defineDiscovery(fixture: Fixture): void {
  it('names the version of the core group under /api', async () => {
    const body = await expectCode(fixture.api.get('/api'), 200);
    expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  it('lists every group with its preferred version under /apis', async () => {
    const body = await expectCode(fixture.api.get('/apis'), 200);
    expect(body).toMatchObject({ kind: 'APIGroupList', apiVersion: 'v1' });
    const groups = body['groups'] as readonly { readonly name: string }[];
    expect(groups.find(({ name }) => name === 'autoscaling')).toEqual({
      name: 'autoscaling',
      versions: [
        { groupVersion: 'autoscaling/v2', version: 'v2' },
        { groupVersion: 'autoscaling/v1', version: 'v1' },
      ],
      preferredVersion: { groupVersion: 'autoscaling/v2', version: 'v2' },
    });
    expect(groups.map(({ name }) => name)).not.toContain('');
  });

  it('describes one group at its own path', async () => {
    const body = await expectCode(fixture.api.get('/apis/apps'), 200);
    expect(body).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });

  it('lists the resources of the core group with names, verbs and short names', async () => {
    const body = await expectCode(fixture.api.get('/api/v1'), 200);
    expect(body).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(resourceOf(body, 'configmaps')).toMatchObject({
      singularName: 'configmap',
      namespaced: true,
      kind: 'ConfigMap',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['cm'],
    });
    expect(resourceOf(body, 'nodes')).toMatchObject({ namespaced: false, kind: 'Node' });
  });

  it('lists subresources with the group and version of their own kind', async () => {
    const core = await expectCode(fixture.api.get('/api/v1'), 200);
    expect(resourceOf(core, 'pods/eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction' });
    const apps = await expectCode(fixture.api.get('/apis/apps/v1'), 200);
    expect(resourceOf(apps, 'deployments/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it('returns aggregated discovery of all groups on request', async () => {
    const answer = await fixture.api.get('/apis', { accept: `${aggregated},application/json` });
    const body = await expectCode(answer, 200);
    expect(answer.headers['content-type']).toBe(aggregated);
    expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const apps = body.items.find((group) => group.metadata.name === 'apps');
    expect(apps?.['versions']).toMatchObject([{ version: 'v1', freshness: 'Current' }]);
    const [version] = (apps?.['versions'] ?? []) as readonly { resources: readonly { resource: string }[] }[];
    expect(version?.resources.find(({ resource }) => resource === 'deployments')).toMatchObject({
      scope: 'Namespaced',
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      responseKind: { kind: 'Deployment' },
    });
  });

  it('answers aggregated discovery of the core group under /api', async () => {
    const body = await expectCode(fixture.api.get('/api', { accept: aggregated }), 200);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]?.['versions']).toMatchObject([{ version: 'v1' }]);
  });

  it('returns its version', async () => {
    const body = await expectCode(fixture.api.get('/version'), 200);
    expect(body).toMatchObject({ major: '1', minor: '36', gitVersion: expect.stringMatching(/^v1\.36\.3/) });
  });

  it('says ok when it is alive and ready', async () => {
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, text } = await fixture.api.get(path);
      expect({ path, status, text }).toEqual({ path, status: 200, text: 'ok' });
    }
  });

  it('answers 404 for a group that does not exist', async () => {
    expect((await fixture.api.get('/apis/nothing.test')).status).toBe(404);
    expect((await fixture.api.get('/apis/nothing.test/v1/things')).status).toBe(404);
    expect((await fixture.api.get('/apis/apps/v9')).status).toBe(404);
  });
}
