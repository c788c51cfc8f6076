import { afterEach, describe, expect, test } from 'vitest';
import {
  configMaps,
  controllerRevisions,
  coreEvents,
  daemonSets,
  deployments,
  endpointSlices,
  leases,
  namespaces,
  nodes,
  pods,
  replicationControllers,
  serviceAccounts,
  services,
  statefulSets,
  volumeClaims,
  volumes,
} from './kinds.ts';
import { podLogs } from './pod-script.ts';
import { beginStory, container, deployment, type Story } from './story.testing.ts';

let story: Story;
afterEach(() => story.end());

const labels = { app: 'x' };
const template = (image = 'nginx:1') => ({ metadata: { labels }, spec: { containers: [container(image)] } });
const workload = (apiVersion: string, kind: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { name: 'x' },
  spec: { selector: { matchLabels: labels }, template: template(), ...spec },
});
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});
const phase = (name: string) => (story.get(pods, name)?.['status'] as { phase?: string } | undefined)?.phase;
const statusOf = (object: { [key: string]: unknown }) => (object['status'] ?? {}) as Record<string, number | string>;
const imageOf = (name: string) =>
  (story.get(pods, name)['spec'] as { containers: { image: string }[] }).containers[0]?.image;

describe('nodes', () => {
  test('register themselves, renew their lease, and come back when deleted', async () => {
    story = await beginStory({ nodes: 2, leaseRenewMs: 10_000 });
    expect(story.table(nodes)).toMatchInlineSnapshot(`
      "
      NAME  STATUS  ROLES  VERSION
      supercargo-node-1  Ready  <none>  v1.36.3
      supercargo-node-2  Ready  <none>  v1.36.3
      "
    `);
    const renewed = () => JSON.stringify(story.client.get(leases, 'kube-node-lease', 'supercargo-node-1')?.['spec']);
    const first = renewed();
    await story.until(() => renewed() !== first, 11_000);
    await story.client.delete(nodes, '', 'supercargo-node-2');
    await story.until(() => story.names(nodes).length === 2);
  });

  test('pods go to open nodes that they select, and wait for one otherwise', async () => {
    story = await beginStory({ nodes: 3 });
    await story.edit(nodes, 'supercargo-node-1', (node) => ({ ...node, spec: { unschedulable: true } }));
    await story.create(deployments, deployment('web', { replicas: 4 }));
    await story.until(() => story.client.list(pods).filter((one) => statusOf(one)['phase'] === 'Running').length === 4);
    const used = story.client.list(pods).map((one) => (one['spec'] as { nodeName: string }).nodeName);
    expect([...new Set(used)].sort()).toEqual(['supercargo-node-2', 'supercargo-node-3']);

    await story.create(pods, pod('picky', { nodeSelector: { disk: 'ssd' } }));
    await story.until(() => story.client.list(coreEvents).some((event) => event['reason'] === 'FailedScheduling'));
    expect(phase('picky')).toBe('Pending');
    await story.edit(nodes, 'supercargo-node-3', (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: 'ssd' } },
    }));
    await story.until(() => phase('picky') === 'Running');
  });

  test('a binding function is used where the server has one', async () => {
    const bound: string[] = [];
    story = await beginStory({ bindPod: async (...words) => void bound.push(words.join(' ')) });
    await story.create(pods, pod('p'));
    await story.until(() => bound.length > 0);
    expect(bound).toEqual(['default p supercargo-node-1']);
  });
});

describe('pods', () => {
  test('a deleted pod is terminating for a moment, then gone, and its address is free again', async () => {
    story = await beginStory({ podStopMs: 200 });
    await story.create(pods, pod('p'));
    await story.until(() => phase('p') === 'Running');
    await story.client.delete(pods, 'default', 'p');
    expect(story.table(pods)).toContain('Terminating');
    await story.until(() => story.names(pods).length === 0, 1000);
  });

  test('a slow start shows containers being made', async () => {
    story = await beginStory({ podStartMs: 2000 });
    await story.create(pods, pod('p'));
    await story.until(() => story.table(pods).includes('ContainerCreating'));
    await story.until(() => phase('p') === 'Running', 3000);
  });

  test('a changed image restarts the container', async () => {
    story = await beginStory();
    await story.create(pods, pod('p'));
    await story.until(() => phase('p') === 'Running');
    await story.edit(pods, 'p', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), containers: [container('nginx:2')] },
    }));
    await story.until(() => JSON.stringify(story.get(pods, 'p')['status']).includes('nginx:2'));
    expect(story.get(pods, 'p')).toMatchObject({
      status: { containerStatuses: [{ image: 'nginx:2', restartCount: 1 }] },
    });
  });

  test('a pod that does not restart completes; one that fails for ever backs off', async () => {
    story = await beginStory();
    await story.create(pods, pod('once', { restartPolicy: 'Never' }));
    await story.create(pods, pod('broken', {}, { annotations: { 'supercargo.dev/simulate': 'fail' } }));
    await story.until(() => phase('once') === 'Succeeded' && story.table(pods).includes('CrashLoopBackOff'));
    await story.pass(45_000);
    expect(story.table(pods)).toMatchInlineSnapshot(`
      "
      NAME  READY  STATUS  RESTARTS
      broken  0/1  CrashLoopBackOff  2 (13s ago)
      once  0/1  Completed  0
      "
    `);
  });

  test('readiness gates hold a pod back until someone sets them', async () => {
    story = await beginStory();
    await story.create(pods, pod('gated', { readinessGates: [{ conditionType: 'example.com/ok' }] }));
    await story.until(() => phase('gated') === 'Running');
    const ready = () =>
      (story.get(pods, 'gated')['status'] as { conditions: { type: string; status: string }[] }).conditions.find(
        (one) => one.type === 'Ready',
      )?.status;
    expect(ready()).toBe('False');
    const current = story.get(pods, 'gated');
    const conditions = [
      ...(current['status'] as { conditions: object[] }).conditions,
      { type: 'example.com/ok', status: 'True' },
    ];
    await story.client.update(pods, { ...current, status: { ...(current['status'] as object), conditions } }, 'status');
    await story.until(() => ready() === 'True');
  });

  test('logs say that they are simulated, and are the same each time', async () => {
    story = await beginStory();
    const text = podLogs({ metadata: { namespace: 'default', name: 'p' } }, 'app');
    expect(text).toMatch(/^Simulated output of container app in pod default\/p\./);
    expect(podLogs({ metadata: { namespace: 'default', name: 'p' } }, 'app')).toBe(text);
  });
});

describe('StatefulSets', () => {
  const set = (spec: object = {}) => workload('apps/v1', 'StatefulSet', { serviceName: 'x', replicas: 3, ...spec });
  const isDone =
    (replicas = 3) =>
    () => {
      const status = statusOf(story.get(statefulSets, 'x'));
      return (
        status['observedGeneration'] === story.get(statefulSets, 'x').metadata.generation &&
        status['readyReplicas'] === replicas &&
        status['updatedReplicas'] === replicas &&
        status['currentRevision'] === status['updateRevision']
      );
    };

  test('make pods one after the other, with claims of their own', async () => {
    story = await beginStory();
    const order: string[] = [];
    story.client.watch(pods, ({ type, object }) => {
      if (type === 'ADDED') order.push(`+${object.metadata.name}`);
      else if (statusOf(object)['phase'] === 'Running' && !order.includes(`=${object.metadata.name}`))
        order.push(`=${object.metadata.name}`);
    });
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await story.create(statefulSets, set({ volumeClaimTemplates: [claim] }));
    await story.until(isDone());
    expect(order).toEqual(['+x-0', '=x-0', '+x-1', '=x-1', '+x-2', '=x-2']);
    await story.until(() => story.client.list(volumeClaims).every((one) => statusOf(one)['phase'] === 'Bound'));
    expect(story.names(volumeClaims)).toEqual(['data-x-0', 'data-x-1', 'data-x-2']);
    expect(story.names(volumes)).toHaveLength(3);
  });

  test('update from the highest down, keep a history, and scale down from the top', async () => {
    story = await beginStory();
    await story.create(statefulSets, set());
    await story.until(isDone());
    const removed: string[] = [];
    story.client.watch(pods, ({ type, object }) => {
      if (type === 'DELETED') removed.push(object.metadata.name ?? '');
    });
    await story.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), template: template('nginx:2') },
    }));
    await story.until(isDone());
    expect(removed).toEqual(['x-2', 'x-1', 'x-0']);
    expect(['x-0', 'x-1', 'x-2'].map(imageOf)).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);
    expect(story.client.list(controllerRevisions).map((one) => one['revision'])).toEqual([1, 2]);
    await story.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), replicas: 1 },
    }));
    await story.until(isDone(1));
    expect(story.names(pods)).toEqual(['x-0']);
  });

  test('a partition leaves the lower ones as they are', async () => {
    story = await beginStory();
    await story.create(
      statefulSets,
      set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
    );
    await story.until(isDone());
    await story.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), template: template('nginx:2') },
    }));
    await story.until(() => story.get(pods, 'x-2') && imageOf('x-2') === 'nginx:2' && phase('x-2') === 'Running');
    await story.pass(2000);
    expect(['x-0', 'x-1', 'x-2'].map(imageOf)).toEqual(['nginx:1', 'nginx:1', 'nginx:2']);
  });
});

test('a DaemonSet runs one pod on each node, and updates them one at a time', async () => {
  story = await beginStory({ nodes: 3 });
  await story.create(daemonSets, workload('apps/v1', 'DaemonSet', {}));
  const isDone = () => {
    const status = statusOf(story.get(daemonSets, 'x'));
    return (
      status['observedGeneration'] === story.get(daemonSets, 'x').metadata.generation &&
      status['numberAvailable'] === 3 &&
      status['updatedNumberScheduled'] === 3
    );
  };
  await story.until(isDone);
  expect(story.table(daemonSets)).toMatchInlineSnapshot(`
    "
    NAME  DESIRED  CURRENT  READY  UP-TO-DATE  AVAILABLE  NODE SELECTOR
    x  3  3  3  3  3  <none>
    "
  `);
  const used = story.client.list(pods).map((one) => (one['spec'] as { nodeName: string }).nodeName);
  expect(used.sort()).toEqual(['supercargo-node-1', 'supercargo-node-2', 'supercargo-node-3']);
  let fewest = 3;
  story.client.watch(pods, () => {
    const ready = story.client
      .list(pods)
      .filter((one) => statusOf(one)['phase'] === 'Running' && !one.metadata.deletionTimestamp);
    fewest = Math.min(fewest, ready.length);
  });
  await story.edit(daemonSets, 'x', (object) => ({
    ...object,
    spec: { ...(object['spec'] as object), template: template('nginx:2') },
  }));
  await story.until(isDone);
  expect(fewest).toBe(2);
});

test('a ReplicationController keeps its pods too', async () => {
  story = await beginStory();
  await story.create(replicationControllers, {
    ...workload('v1', 'ReplicationController', { replicas: 2 }),
    spec: { replicas: 2, selector: labels, template: template() },
  });
  await story.until(() => statusOf(story.get(replicationControllers, 'x'))['readyReplicas'] === 2);
});

test('a Service has the addresses of the pods it selects, and no others', async () => {
  story = await beginStory();
  const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }] };
  await story.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec });
  await story.create(deployments, deployment('web', { replicas: 2 }));
  await story.create(deployments, deployment('other', { replicas: 2 }));
  const endpoints = () =>
    (story.client.list(endpointSlices)[0]?.['endpoints'] ?? []) as { conditions: { ready: boolean } }[];
  await story.until(() => endpoints().length === 2 && endpoints().every((one) => one.conditions.ready));
  expect(story.client.list(endpointSlices)[0]).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
  });
  await story.edit(deployments, 'web', (object) => ({
    ...object,
    spec: { ...(object['spec'] as object), replicas: 0 },
  }));
  await story.until(() => endpoints().length === 0);
});

test('a namespace gets its service account and certificate, also after someone deletes them', async () => {
  story = await beginStory({ rootCa: 'PEM' });
  await story.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const isComplete = () =>
    story.client.get(serviceAccounts, 'team', 'default') && story.client.get(configMaps, 'team', 'kube-root-ca.crt');
  await story.until(isComplete);
  await story.client.delete(serviceAccounts, 'team', 'default');
  await story.client.delete(configMaps, 'team', 'kube-root-ca.crt');
  await story.until(isComplete);
});

test('a claim is bound to a volume that goes when the claim goes', async () => {
  story = await beginStory();
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } };
  const metadata = { name: 'data', finalizers: ['kubernetes.io/pvc-protection'] };
  await story.create(volumeClaims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  await story.until(() => statusOf(story.get(volumeClaims, 'data'))['phase'] === 'Bound');
  expect(story.table(volumes)).toContain('2Gi  RWO  Delete  Bound  default/data');
  await story.client.delete(volumeClaims, 'default', 'data');
  await story.until(() => story.names(volumeClaims).length === 0 && story.names(volumes).length === 0);
});

test('a claim for a class that does not exist waits', async () => {
  story = await beginStory();
  const spec = { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] };
  await story.create(volumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec,
  });
  await story.pass(500);
  expect(statusOf(story.get(volumeClaims, 'data'))['phase']).toBeUndefined();
});

test('events are forgotten after their time, and not written at all when switched off', async () => {
  story = await beginStory({ gcIntervalMs: 1000, eventTtlMs: 5000 });
  await story.create(pods, pod('p'));
  await story.until(() => story.client.list(coreEvents).length >= 4);
  await story.until(() => story.client.list(coreEvents).length === 0, 10_000);
  await story.end();
  story = await beginStory({ events: false });
  await story.create(pods, pod('p'));
  await story.until(() => phase('p') === 'Running');
  await story.pass(100);
  expect(story.client.list(coreEvents)).toEqual([]);
});

test('when told to stop, nothing is left running', async () => {
  story = await beginStory();
  await story.create(deployments, deployment('web'));
  await story.pass(30);
  await story.end();
  expect(story.clock.pending).toBe(0);
  const writes = story.client.writes;
  await story.pass(1000);
  expect(story.client.writes).toBe(writes);
});
