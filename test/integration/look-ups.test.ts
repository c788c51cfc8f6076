import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../../src/base/index.ts';
import { createDiscovery, createInformerFactory, type KubeConnection } from '../../src/kube/index.ts';
import type { LookUp } from '../../src/policy/index.ts';
import {
  createLookUps,
  createNamespaces,
  createRoles,
  findKyverno,
  type LiveLookUps,
} from '../../src/runtime/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { connectTo } from './connection.ts';

let cluster: Cluster;
let client: KubeConnection;
let api: HttpClient;
let lookUps: LiveLookUps;
const end = new AbortController();
let running: Promise<unknown>;
const informers = () => createInformerFactory({ client, log: silentLogger });

beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  client = await connectTo(cluster);
  api = createHttpClient(cluster);
  const discovery = createDiscovery({ source: client });
  lookUps = createLookUps({
    client,
    discovery,
    clock: systemClock,
    log: silentLogger,
    limits: { maxObjects: 3, maxResponseBytes: 100_000 },
  });
  running = lookUps.run(end.signal);
  for (const [name, labels] of [
    ['a', { app: 'x' }],
    ['b', { app: 'y' }],
    ['c', { app: 'x' }],
  ] as const)
    await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name, labels }, data: { name } });
});
afterAll(async () => {
  end.abort();
  await running;
  await client.close();
  await api.close();
  await cluster.stop();
});

const ask = (lookUp: LookUp) => lookUps.answer(lookUp, end.signal);
const names = async (more: object) => {
  const answer = await ask({
    kind: 'resources',
    apiVersion: 'v1',
    resourceKind: 'ConfigMap',
    namespace: 'default',
    ...more,
  });
  return answer.ok
    ? (answer.value as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
    : answer;
};

describe('look-ups in a cluster', () => {
  it('know a ConfigMap, and hear of its change, its end and its return', async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    await api.post(path, { metadata: { name: 'live' }, data: { k: '1' } });
    const value = async () => {
      const answer = await ask({ kind: 'configMap', namespace: 'default', name: 'live' });
      return answer.ok ? (answer.value as { data: { k: string } }).data.k : undefined;
    };
    const ready = (policyNamespace: string) =>
      lookUps.ready({ kind: 'configMap', namespace: 'default', name: 'live', policyNamespace });
    expect(ready('default')).toBeUndefined();
    expect(await value()).toBe('1');
    await eventually(() => expect(ready('default')).toMatchObject({ ok: true, value: { data: { k: '1' } } }));
    expect(() => ready('other')).toThrow('a policy of namespace other may not look up ConfigMaps of namespace default');
    await api.patch(`${path}/live`, { data: { k: '2' } }, 'application/merge-patch+json');
    await eventually(async () => expect(await value()).toBe('2'));
    await api.delete(`${path}/live`);
    await eventually(async () => expect(value()).rejects.toThrow('not found'));
    expect(ready('default')).toBeUndefined();
    await api.post(path, { metadata: { name: 'live' }, data: { k: '3' } });
    await eventually(async () => expect(await value()).toBe('3'));
  });

  it('call the API with a query, and post to it', async () => {
    const list = await ask({
      kind: 'apiCall',
      method: 'GET',
      urlPath: '/api/v1/namespaces/default/configmaps?labelSelector=app%3Dx',
    });
    expect(list).toMatchObject({
      ok: true,
      value: { items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }] },
    });
    const review = {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    const posted = await ask({
      kind: 'apiCall',
      method: 'POST',
      urlPath: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      data: review,
    });
    expect(posted).toMatchObject({ ok: true, value: { status: { allowed: true } } });
  });

  it.each(['api/v1/pods', 'https://elsewhere/', '/api/v1/../../secret', '/api/v1/pods\r\nx: y', '/a b'])(
    'refuse the path %j',
    async (urlPath) => {
      await expect(ask({ kind: 'apiCall', method: 'GET', urlPath })).rejects.toThrow(
        'urlPath must be an absolute path',
      );
    },
  );

  it('bound what one answer may hold', async () => {
    const big = 'x'.repeat(200_000);
    await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'big' }, stringData: { big } });
    await expect(
      ask({ kind: 'apiCall', method: 'GET', urlPath: '/api/v1/namespaces/default/secrets/big' }),
    ).rejects.toThrow('larger than 100000 bytes');
    await expect(ask({ kind: 'resources', apiVersion: 'v1', resourceKind: 'Namespace' })).rejects.toThrow(
      'more than 3 objects',
    );
  });

  it('never give a policy of a namespace what was looked up for others', async () => {
    await api.post('/api/v1/namespaces/kube-system/configmaps', { metadata: { name: 'theirs' }, data: { k: 'v' } });
    const theirs: LookUp = { kind: 'configMap', namespace: 'kube-system', name: 'theirs' };
    const path: LookUp = {
      kind: 'apiCall',
      method: 'GET',
      urlPath: '/api/v1/namespaces/kube-system/configmaps/theirs',
    };
    for (const lookUp of [theirs, path]) {
      expect(await ask(lookUp)).toMatchObject({ ok: true });
      await expect(ask({ ...lookUp, policyNamespace: 'default' })).rejects.toThrow('a policy of namespace default may');
      expect(await ask({ ...lookUp, policyNamespace: 'kube-system' })).toMatchObject({ ok: true });
    }
  });

  it('find objects by name, wildcard and labels', async () => {
    expect(await names({ name: 'a' })).toEqual(['a']);
    expect(await names({ name: 'none' })).toEqual([]);
    expect(await names({ selector: { matchLabels: { app: 'x' } } })).toEqual(['a', 'c']);
    expect(await names({ name: '?', selector: { matchLabels: { app: 'y' } } })).toEqual(['b']);
  });

  it('know the schema of a custom kind, and that a kind without a definition has none', async () => {
    const list = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    const spec = { type: 'object', properties: { tags: list } };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { kind: 'Widget', plural: 'widgets' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    };
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const schema = (apiVersion: string) => ask({ kind: 'schema', apiVersion, resourceKind: 'Widget' });
    await eventually(async () =>
      expect(await schema('example.com/v1')).toMatchObject({ ok: true, value: { properties: { spec } } }),
    );
    expect(await schema('nobody.example.com/v1')).toEqual({ ok: true, value: null });
  });

  it('say clearly what cannot be looked up', async () => {
    await expect(ask({ kind: 'imageData', reference: 'nginx' })).rejects.toThrow(
      'image data is not available without a registry client',
    );
    await expect(ask({ kind: 'globalContext', name: 'g' })).rejects.toThrow(
      'global context entries are not available: g',
    );
    await expect(names({ resourceKind: 'Nothing' })).rejects.toThrow('the cluster does not serve v1 Nothing');
  });
});

describe('what requests carry with them', () => {
  it('is the labels of their namespace, also of one that is new', async () => {
    const factory = informers();
    const namespaces = createNamespaces({ client, informers: factory });
    const work = factory.run(end.signal);
    await factory.synced();
    await api.post('/api/v1/namespaces', { metadata: { name: 'fresh', labels: { env: 'prod' } } });
    expect(await namespaces.fetchLabels('fresh', end.signal)).toMatchObject({ env: 'prod' });
    expect(await namespaces.fetchLabels('none', end.signal)).toEqual({});
    await eventually(() => expect(namespaces.labels('fresh')).toMatchObject({ env: 'prod' }));
    void work;
  });

  it('is the roles of who asks: by name, by group and as a service account', async () => {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const apiGroup = 'rbac.authorization.k8s.io';
    const bind = (path: string, name: string, roleKind: string, role: string, subject: object) =>
      api.post(`${rbac}${path}`, {
        metadata: { name },
        roleRef: { apiGroup, kind: roleKind, name: role },
        subjects: [subject],
      });
    await bind('/namespaces/default/rolebindings', 'r1', 'Role', 'editor', { kind: 'User', name: 'ann', apiGroup });
    await bind('/namespaces/default/rolebindings', 'r2', 'ClusterRole', 'view', {
      kind: 'ServiceAccount',
      name: 'bot',
      namespace: 'ci',
    });
    await bind('/clusterrolebindings', 'r3', 'ClusterRole', 'admin', { kind: 'Group', name: 'ops', apiGroup });
    const factory = informers();
    const work = factory.run(end.signal);
    const roles = createRoles({ informers: factory });
    const of = (username: string, groups: readonly string[] = []) => roles.of({ username, groups }, () => end.signal);
    expect(await of('ann', ['ops'])).toEqual({ roles: ['default:editor'], clusterRoles: ['admin'] });
    // Without waiting, once both kinds of bindings are watched.
    expect(of('ann', ['ops'])).toEqual({ roles: ['default:editor'], clusterRoles: ['admin'] });
    expect(await of('system:serviceaccount:ci:bot')).toEqual({ roles: [], clusterRoles: ['view'] });
    expect(await of('bob')).toEqual({ roles: [], clusterRoles: [] });
    void work;
  });

  it('is not Kyverno: its webhooks are noticed', async () => {
    expect(await findKyverno(client)).toBeUndefined();
    await api.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: {
        name: 'kyverno-resource-validating-webhook-cfg',
        labels: { 'webhook.kyverno.io/managed-by': 'kyverno' },
      },
      webhooks: [],
    });
    expect(await findKyverno(client)).toContain('belongs to Kyverno');
  });
});
