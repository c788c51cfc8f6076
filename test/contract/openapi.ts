import { expect, it } from 'vitest';
import { expectCode, type Fixture } from './fixture.ts';

export function defineOpenApi(fixture: Fixture): void {
  it('lists a document for each group version under /openapi/v3', async () => {
    const body = await expectCode(fixture.api.get('/openapi/v3'), 200);
    const paths = body['paths'] as Readonly<Record<string, { readonly serverRelativeURL: string }>>;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/batch/v1']));
    expect(paths['apis/apps/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]+$/);
  });

  it('describes the kinds of a group version with their list and patch strategies', async () => {
    const body = await expectCode(fixture.api.get('/openapi/v3/apis/apps/v1'), 200);
    expect(body['openapi']).toBe('3.0.0');
    const { schemas } = body['components'] as { readonly schemas: Readonly<Record<string, unknown>> };
    expect(schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'apps', version: 'v1', kind: 'Deployment' }],
    });
    expect(schemas['io.k8s.api.core.v1.PodSpec']).toMatchObject({
      required: ['containers'],
      properties: {
        containers: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
        },
      },
    });
  });

  it('describes the paths of a group version with the kind that each works on', async () => {
    const body = await expectCode(fixture.api.get('/openapi/v3/apis/apps/v1'), 200);
    expect(body['paths']).toMatchObject({
      '/apis/apps/v1/namespaces/{namespace}/deployments/{name}': {
        patch: { 'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' } },
      },
    });
  });

  it('answers 404 for the document of a group version that does not exist', async () => {
    expect((await fixture.api.get('/openapi/v3/apis/nothing.test/v1')).status).toBe(404);
  });
}
