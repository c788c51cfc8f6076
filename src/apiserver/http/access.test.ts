import { describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../test/support/http-client.ts';
import { startApiServer } from '../server.ts';
import { accessOf } from './access.ts';
import { parseResourcePath } from './request-info.ts';

const user = { username: 'u', groups: [] };
const asked = (method: string, url: string) => {
  const [path = '', search = ''] = url.split('?');
  const query = new URLSearchParams(search);
  const { verb, resource } = accessOf({ method, path, info: parseResourcePath(path), query, user });
  const { group, namespace, name } = resource ?? {};
  return resource ? `${verb} ${group}/${resource.resource} ${namespace}/${name}` : verb;
};

describe('the access that a request asks for', () => {
  it.each([
    ['GET', '/api/v1/namespaces/a/pods/x', 'get /pods a/x'],
    ['GET', '/api/v1/namespaces/a/pods/x/log', 'get /pods/log a/x'],
    ['GET', '/api/v1/pods', 'list /pods /'],
    ['GET', '/api/v1/pods?watch=true', 'watch /pods /'],
    ['GET', '/api/v1/watch/pods', 'watch /pods /'],
    ['GET', '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Dx', 'list /secrets a/x'],
    ['GET', '/api/v1/namespaces/a/secrets?watch=1&fieldSelector=type%3Dt,metadata.name%3Dx', 'watch /secrets a/x'],
    ['GET', '/api/v1/namespaces/a/secrets?fieldSelector=metadata.name!%3Dx', 'list /secrets a/'],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', 'create apps/deployments a/'],
    ['PUT', '/apis/apps/v1/namespaces/a/deployments/x/status', 'update apps/deployments/status a/x'],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/x', 'patch apps/deployments a/x'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/x', 'delete apps/deployments a/x'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection apps/deployments a/'],
    ['GET', '/version', 'get'],
  ])('%s %s is %s', (method, url, expected) => {
    expect(asked(method, url)).toBe(expected);
  });
});

it('is refused if the authorizer refuses it, and a creation by a patch as a creation of that name', async () => {
  const refused = new Set<string>();
  const server = await startApiServer({
    simulation: false,
    authorize: async ({ verb, resource }) => !refused.has(`${verb} ${resource?.resource} ${resource?.name}`),
  });
  const client = createHttpClient(server);
  try {
    const path = '/api/v1/namespaces/default/configmaps/x';
    const apply = () =>
      client.patch(`${path}?fieldManager=t`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } }, 'apply');
    refused.add('create configmaps x');
    const { status, body } = await apply();
    expect([status, body.message]).toEqual([
      403,
      'configmaps "x" is forbidden: User "admin" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ]);
    expect((await client.get(path)).status).toBe(404);
    refused.clear();
    expect((await apply()).status).toBe(201);
    refused.add('create configmaps x');
    expect((await apply()).status).toBe(200);
    refused.add('get configmaps x');
    expect((await client.get(path)).status).toBe(403);
  } finally {
    await client.close();
    await server.stop();
  }
});
