import { describe, expect, it } from 'vitest';
import { createRecordingLogger } from '../../test/support/recording-logger.ts';
import { createKubeClient } from './client.ts';
import { createDiscovery } from './discovery.ts';
import { ManualClock } from './testing/manual-clock.ts';
import { type Respond, sendJson, sendStatus, startServer } from './testing/server.ts';

const resource = (name: string, kind: string, more: object = {}) => ({
  resource: name,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list', 'watch'],
  ...more,
});
const group = (name: string, ...versions: object[]) => ({ metadata: { name }, versions });

const core = group('', {
  version: 'v1',
  resources: [
    resource('pods', 'Pod', { shortNames: ['po'], subresources: [{ subresource: 'status' }], categories: ['all'] }),
    resource('nodes', 'Node', { scope: 'Cluster', shortNames: ['no'] }),
    resource('events', 'Event'),
  ],
});
const eventsGroup = group('events.k8s.io', { version: 'v1', resources: [resource('events', 'Event')] });
const scaling = group(
  'autoscaling',
  {
    version: 'v2',
    resources: [resource('horizontalpodautoscalers', 'HorizontalPodAutoscaler', { shortNames: ['hpa'] })],
  },
  { version: 'v1', resources: [resource('horizontalpodautoscalers', 'HorizontalPodAutoscaler')] },
);

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const sendAggregated = (response: Parameters<Respond>[1], items: unknown[]) =>
  sendJson(response, { kind: 'APIGroupDiscoveryList', items }, 200, { 'content-type': aggregatedType });

async function setUp(respond: Respond) {
  const server = await startServer(respond);
  const client = createKubeClient(server.config);
  const clock = new ManualClock();
  const log = createRecordingLogger();
  return {
    server,
    clock,
    log,
    discovery: createDiscovery({ source: client, clock, log }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('aggregated discovery', () => {
  const groups = [eventsGroup, scaling];
  const respond: Respond = ({ path }, response) => sendAggregated(response, path === '/api' ? [core] : groups);

  it('finds kinds by every form of their name, in two requests', async () => {
    await using t = await setUp(respond);
    const found = async (kind: Parameters<typeof t.discovery.byKind>[0]) => {
      const type = await t.discovery.byKind(kind);
      return type && `${type.group}/${type.version}/${type.resource}`;
    };
    expect(await found('Pod')).toBe('/v1/pods');
    expect(await found('v1/Pod')).toBe('/v1/pods');
    expect(await found('Event')).toBe('/v1/events');
    expect(await found('events.k8s.io/Event')).toBe('events.k8s.io/v1/events');
    expect(await found('HorizontalPodAutoscaler')).toBe('autoscaling/v2/horizontalpodautoscalers');
    expect(await found('autoscaling/v1/HorizontalPodAutoscaler')).toBe('autoscaling/v1/horizontalpodautoscalers');
    expect(await found({ group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' })).toContain('/v1/');
    expect(t.server.requests.length).toBe(2);
    expect(await t.discovery.byKind('Node')).toMatchObject({ namespaced: false, isPreferredVersion: true });
    expect(await t.discovery.byKind('Pod')).toMatchObject({
      namespaced: true,
      subresources: ['status'],
      categories: ['all'],
    });
  });

  it('finds resources as kubectl does', async () => {
    await using t = await setUp(respond);
    const found = async (name: Parameters<typeof t.discovery.byResource>[0]) => {
      const type = await t.discovery.byResource(name);
      return type && `${type.group}/${type.version}/${type.kind}`;
    };
    expect(await found('pods')).toBe('/v1/Pod');
    expect(await found('Pod')).toBe('/v1/Pod');
    expect(await found('po')).toBe('/v1/Pod');
    expect(await found('hpa')).toBe('autoscaling/v2/HorizontalPodAutoscaler');
    expect(await found('hpa.autoscaling')).toBe('autoscaling/v2/HorizontalPodAutoscaler');
    expect(await found('horizontalpodautoscalers.v1.autoscaling')).toBe('autoscaling/v1/HorizontalPodAutoscaler');
    expect(await found('events.events.k8s.io')).toBe('events.k8s.io/v1/Event');
    expect(await found({ group: '', version: 'v1', resource: 'nodes' })).toBe('/v1/Node');
    expect(await found('pods.apps')).toBeUndefined();
  });

  it('refreshes on a miss, but not too often', async () => {
    const now = [...groups];
    await using t = await setUp(({ path }, response) => sendAggregated(response, path === '/api' ? [core] : now));
    expect(await t.discovery.byKind('Widget')).toBeUndefined();
    expect(await t.discovery.byKind('Widget')).toBeUndefined();
    expect(t.server.requests.length).toBe(2);
    now.push(group('example.com', { version: 'v1', resources: [resource('widgets', 'Widget')] }));
    t.clock.advance(10_000);
    expect(await t.discovery.byKind('Widget')).toMatchObject({ resource: 'widgets' });
    expect(t.server.requests.length).toBe(4);
    now.length = 0;
    t.discovery.invalidate();
    expect(await t.discovery.byKind('Widget')).toBeUndefined();
  });

  it('keeps the known types of an API whose server is down', async () => {
    const metrics = (more: object) => group('metrics.k8s.io', { version: 'v1beta1', ...more });
    let now = metrics({ resources: [resource('nodemetrics', 'NodeMetrics')] });
    await using t = await setUp(({ path }, response) => sendAggregated(response, path === '/api' ? [core] : [now]));
    expect(await t.discovery.byKind('NodeMetrics')).toBeDefined();
    now = metrics({ resources: [], freshness: 'Stale' });
    t.discovery.invalidate();
    expect(await t.discovery.byKind('NodeMetrics')).toMatchObject({ resource: 'nodemetrics' });
    expect(t.discovery.failures).toMatchObject([{ group: 'metrics.k8s.io', version: 'v1beta1' }]);
    expect(t.log.lines.length).toBe(1);
  });
});

describe('discovery of older servers', () => {
  const lists: Record<string, unknown> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': {
      kind: 'APIGroupList',
      groups: [
        {
          name: 'apps',
          versions: [{ groupVersion: 'apps/v1beta1' }, { groupVersion: 'apps/v1' }],
          preferredVersion: { groupVersion: 'apps/v1' },
        },
        { name: 'metrics.k8s.io', versions: [{ groupVersion: 'metrics.k8s.io/v1beta1' }] },
      ],
    },
    '/api/v1': {
      kind: 'APIResourceList',
      resources: [
        { name: 'pods', singularName: '', namespaced: true, kind: 'Pod', verbs: ['list'], shortNames: ['po'] },
        { name: 'pods/status', namespaced: true, kind: 'Pod', verbs: ['patch'] },
      ],
    },
    '/apis/apps/v1': { resources: [{ name: 'deployments', namespaced: true, kind: 'Deployment', verbs: [] }] },
    '/apis/apps/v1beta1': { resources: [{ name: 'deployments', namespaced: true, kind: 'Deployment', verbs: [] }] },
  };

  it('requests version by version, and a failed version does not affect the others', async () => {
    await using t = await setUp(({ path }, response) =>
      lists[path] ? sendJson(response, lists[path]) : sendStatus(response, 503, 'ServiceUnavailable'),
    );
    expect(await t.discovery.byResource('po')).toMatchObject({
      kind: 'Pod',
      singular: 'pod',
      subresources: ['status'],
    });
    expect(await t.discovery.byKind('Deployment')).toMatchObject({ version: 'v1', isPreferredVersion: true });
    expect(await t.discovery.byKind('apps/v1beta1/Deployment')).toMatchObject({ isPreferredVersion: false });
    expect(t.discovery.failures).toMatchObject([{ group: 'metrics.k8s.io', version: 'v1beta1' }]);
  });

  it('fails when the server cannot be reached at all', async () => {
    await using t = await setUp((_, response) => sendStatus(response, 403, 'Forbidden'));
    await expect(t.discovery.byKind('Pod')).rejects.toMatchObject({ code: 'kube-forbidden' });
  });
});
