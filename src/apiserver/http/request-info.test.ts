import { expect, it } from 'vitest';
import { parseResourcePath } from './request-info.ts';

const nothing = { group: '', version: 'v1', namespace: '', name: '', subresource: '', rest: '', watchPrefix: false };

it.each([
  ['/api/v1/pods', { resource: 'pods' }],
  ['/api/v1/namespaces', { resource: 'namespaces' }],
  ['/api/v1/namespaces/a', { resource: 'namespaces', name: 'a' }],
  ['/api/v1/namespaces/a/status', { resource: 'namespaces', name: 'a', subresource: 'status' }],
  ['/api/v1/namespaces/a/finalize', { resource: 'namespaces', name: 'a', subresource: 'finalize' }],
  ['/api/v1/namespaces/a/pods', { resource: 'pods', namespace: 'a' }],
  ['/api/v1/namespaces/a/pods/b', { resource: 'pods', namespace: 'a', name: 'b' }],
  ['/api/v1/namespaces/a/pods/b/log', { resource: 'pods', namespace: 'a', name: 'b', subresource: 'log' }],
  [
    '/api/v1/namespaces/a/services/b/proxy/c/d',
    { resource: 'services', namespace: 'a', name: 'b', subresource: 'proxy', rest: 'c/d' },
  ],
  ['/api/v1/watch/pods', { resource: 'pods', watchPrefix: true }],
  ['/api/v1/watch/namespaces/a/pods/b', { resource: 'pods', namespace: 'a', name: 'b', watchPrefix: true }],
  ['/apis/apps/v1/deployments', { group: 'apps', resource: 'deployments' }],
  [
    '/apis/apps/v1/namespaces/a/deployments/b/scale',
    { group: 'apps', resource: 'deployments', namespace: 'a', name: 'b', subresource: 'scale' },
  ],
  ['/apis/example.com/v1beta1/widgets/b', { group: 'example.com', version: 'v1beta1', resource: 'widgets', name: 'b' }],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:a%2Fb',
    { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'system:a/b' },
  ],
  ['//api//v1/pods/', { resource: 'pods' }],
])('%s', (path, expected) => {
  expect(parseResourcePath(path)).toEqual({ ...nothing, ...expected });
});

it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/openapi/v3', '/healthz/api/v1'])(
  '%s is no resource',
  (path) => expect(parseResourcePath(path)).toBeUndefined(),
);

it('keeps a segment with invalid percent-encoding unchanged', () => {
  expect(parseResourcePath('/api/v1/pods/%E0%A4%A')?.name).toBe('%E0%A4%A');
});
