import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import { describeRight, type RecordedRequest, rightsOf, uncovered, unneeded, widest } from './access.ts';

const rbac = (kind: string, name: string, more: object, namespace?: string): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...more,
});
const binding = (kind: string, role: string, roleKind: string, account: string, namespace?: string) =>
  rbac(kind, `${role}-binding`, { roleRef: { kind: roleKind, name: role }, subjects: [{ name: account }] }, namespace);

const manifests = [
  rbac('ClusterRole', 'reader', { rules: [{ apiGroups: ['', 'apps'], resources: ['*'], verbs: ['list'] }] }),
  rbac('ClusterRole', 'aggregated', { aggregationRule: {} }),
  rbac(
    'Role',
    'writer',
    { rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a', 'b'], verbs: ['get'] }] },
    'home',
  ),
  binding('ClusterRoleBinding', 'reader', 'ClusterRole', 'me'),
  binding('ClusterRoleBinding', 'aggregated', 'ClusterRole', 'me'),
  binding('RoleBinding', 'writer', 'Role', 'me', 'home'),
  binding('RoleBinding', 'reader', 'ClusterRole', 'you', 'home'),
];
const get = (name: string, namespace = 'home'): RecordedRequest => ({
  verb: 'get',
  group: '',
  resource: 'configmaps',
  namespace,
  name,
});
const list = (group: string, resource: string): RecordedRequest => ({
  verb: 'list',
  group,
  resource,
  namespace: '',
  name: '',
});

describe('the rights of an account', () => {
  const rights = rightsOf(manifests, 'me');

  it('are those of all roles that are bound to it, down to verb, resource and name', () => {
    expect(rights.map(describeRight)).toEqual([
      'list *',
      'list *.apps',
      'get configmaps #a @home',
      'get configmaps #b @home',
    ]);
    expect(rightsOf(manifests, 'you').map(describeRight)).toEqual(['list * @home', 'list *.apps @home']);
  });

  it('cover what they name and no other verb, group, name or namespace', () => {
    const allowed = [get('a'), get('b'), list('', 'pods'), list('apps', 'deployments')];
    const refused = [get('c'), get('a', 'elsewhere'), get(''), list('batch', 'jobs'), { ...get('a'), verb: 'update' }];
    expect(uncovered(rights, [...allowed, ...refused])).toEqual(refused);
  });

  it('are needed if without any single one a request is not covered', () => {
    expect(unneeded(rights, [get('a'), get('b'), list('', 'pods'), list('apps', 'deployments')])).toEqual([]);
    expect(unneeded(rights, [get('a'), list('', 'pods')]).map(describeRight)).toEqual([
      'list *.apps',
      'get configmaps #b @home',
    ]);
    const twice = [...rights, { verb: 'list', group: '', resource: 'pods' }];
    expect(unneeded(twice, [list('', 'pods')]).map(describeRight)).toContain('list pods');
  });

  it('may include each other', () => {
    const narrower = { verb: 'list', group: '', resource: 'pods', namespace: 'home', name: 'a' };
    expect(widest([...rights, narrower])).toEqual(rights);
  });
});
