import { afterEach, describe, expect, test } from 'vitest';
import { container, deployment, type SimulationHarness, startHarness } from './harness.testing.ts';
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

let harness: SimulationHarness;
afterEach(() => harness.end());

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
const phase = (name: string) => (harness.get(pods, name)?.['status'] as { phase?: string } | undefined)?.phase;
const statusOf = (object: { [key: string]: unknown }) => (object['status'] ?? {}) as Record<string, number | string>;
const imageOf = (name: string) =>
  (harness.get(pods, name)['spec'] as { containers: { image: string }[] }).containers[0]?.image;

describe('nodes', () => {
  test('register themselves, renew their lease, and come back when deleted', async () => {
    harness = await startHarness({ nodes: 2, leaseRenewMs: 10_000 });
    expect(harness.table(nodes)).toMatchInlineSnapshot(`
      "
      NAME  STATUS  ROLES  VERSION
      supercargo-node-1  Ready  <none>  v1.36.3
      supercargo-node-2  Ready  <none>  v1.36.3
      "
    `);
    const renewed = () => JSON.stringify(harness.client.get(leases, 'kube-node-lease', 'supercargo-node-1')?.['spec']);
    const first = renewed();
    await harness.until(() => renewed() !== first, 11_000);
    await harness.client.delete(nodes, '', 'supercargo-node-2');
    await harness.until(() => harness.names(nodes).length === 2);
  });

  test('pods go to open nodes that they select, and wait for one otherwise', async () => {
    harness = await startHarness({ nodes: 3 });
    await harness.edit(nodes, 'supercargo-node-1', (node) => ({ ...node, spec: { unschedulable: true } }));
    await harness.create(deployments, deployment('web', { replicas: 4 }));
    await harness.until(
      () => harness.client.list(pods).filter((one) => statusOf(one)['phase'] === 'Running').length === 4,
    );
    const used = harness.client.list(pods).map((one) => (one['spec'] as { nodeName: string }).nodeName);
    expect([...new Set(used)].sort()).toEqual(['supercargo-node-2', 'supercargo-node-3']);

    await harness.create(pods, pod('picky', { nodeSelector: { disk: 'ssd' } }));
    await harness.until(() => harness.client.list(coreEvents).some((event) => event['reason'] === 'FailedScheduling'));
    expect(phase('picky')).toBe('Pending');
    await harness.edit(nodes, 'supercargo-node-3', (node) => ({
      ...node,
      metadata: { ...node.metadata, labels: { ...node.metadata.labels, disk: 'ssd' } },
    }));
    await harness.until(() => phase('picky') === 'Running');
  });

  test('a binding function is used where the server has one', async () => {
    const bound: string[] = [];
    harness = await startHarness({ bindPod: async (...words) => void bound.push(words.join(' ')) });
    await harness.create(pods, pod('p'));
    await harness.until(() => bound.length > 0);
    expect(bound).toEqual(['default p supercargo-node-1']);
  });
});

describe('pods', () => {
  test('a deleted pod is terminating for a moment, then gone, and its address is free again', async () => {
    harness = await startHarness({ podStopMs: 200 });
    await harness.create(pods, pod('p'));
    await harness.until(() => phase('p') === 'Running');
    await harness.client.delete(pods, 'default', 'p');
    expect(harness.table(pods)).toContain('Terminating');
    await harness.until(() => harness.names(pods).length === 0, 1000);
  });

  test('a slow start shows ContainerCreating', async () => {
    harness = await startHarness({ podStartMs: 2000 });
    await harness.create(pods, pod('p'));
    await harness.until(() => harness.table(pods).includes('ContainerCreating'));
    await harness.until(() => phase('p') === 'Running', 3000);
  });

  test('a changed image restarts the container', async () => {
    harness = await startHarness();
    await harness.create(pods, pod('p'));
    await harness.until(() => phase('p') === 'Running');
    await harness.edit(pods, 'p', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), containers: [container('nginx:2')] },
    }));
    await harness.until(() => JSON.stringify(harness.get(pods, 'p')['status']).includes('nginx:2'));
    expect(harness.get(pods, 'p')).toMatchObject({
      status: { containerStatuses: [{ image: 'nginx:2', restartCount: 1 }] },
    });
  });

  test('a pod that does not restart completes; one that fails for ever backs off', async () => {
    harness = await startHarness();
    await harness.create(pods, pod('once', { restartPolicy: 'Never' }));
    await harness.create(pods, pod('broken', {}, { annotations: { 'supercargo.dev/simulate': 'fail' } }));
    await harness.until(() => phase('once') === 'Succeeded' && harness.table(pods).includes('CrashLoopBackOff'));
    await harness.pass(45_000);
    expect(harness.table(pods)).toMatchInlineSnapshot(`
      "
      NAME  READY  STATUS  RESTARTS
      broken  0/1  CrashLoopBackOff  2 (13s ago)
      once  0/1  Completed  0
      "
    `);
  });

  test('readiness gates keep a pod unready until they are set', async () => {
    harness = await startHarness();
    await harness.create(pods, pod('gated', { readinessGates: [{ conditionType: 'example.com/ok' }] }));
    await harness.until(() => phase('gated') === 'Running');
    const ready = () =>
      (harness.get(pods, 'gated')['status'] as { conditions: { type: string; status: string }[] }).conditions.find(
        (one) => one.type === 'Ready',
      )?.status;
    expect(ready()).toBe('False');
    const current = harness.get(pods, 'gated');
    const conditions = [
      ...(current['status'] as { conditions: object[] }).conditions,
      { type: 'example.com/ok', status: 'True' },
    ];
    await harness.client.update(
      pods,
      { ...current, status: { ...(current['status'] as object), conditions } },
      'status',
    );
    await harness.until(() => ready() === 'True');
  });

  test('logs say that they are simulated, and are the same each time', async () => {
    harness = await startHarness();
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
      const status = statusOf(harness.get(statefulSets, 'x'));
      return (
        status['observedGeneration'] === harness.get(statefulSets, 'x').metadata.generation &&
        status['readyReplicas'] === replicas &&
        status['updatedReplicas'] === replicas &&
        status['currentRevision'] === status['updateRevision']
      );
    };

  test('make pods one after the other, with claims of their own', async () => {
    harness = await startHarness();
    const order: string[] = [];
    harness.client.watch(pods, ({ type, object }) => {
      if (type === 'ADDED') order.push(`+${object.metadata.name}`);
      else if (statusOf(object)['phase'] === 'Running' && !order.includes(`=${object.metadata.name}`))
        order.push(`=${object.metadata.name}`);
    });
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await harness.create(statefulSets, set({ volumeClaimTemplates: [claim] }));
    await harness.until(isDone());
    expect(order).toEqual(['+x-0', '=x-0', '+x-1', '=x-1', '+x-2', '=x-2']);
    await harness.until(() => harness.client.list(volumeClaims).every((one) => statusOf(one)['phase'] === 'Bound'));
    expect(harness.names(volumeClaims)).toEqual(['data-x-0', 'data-x-1', 'data-x-2']);
    expect(harness.names(volumes)).toHaveLength(3);
  });

  test('update from the highest down, keep a history, and scale down from the top', async () => {
    harness = await startHarness();
    await harness.create(statefulSets, set());
    await harness.until(isDone());
    const removed: string[] = [];
    harness.client.watch(pods, ({ type, object }) => {
      if (type === 'DELETED') removed.push(object.metadata.name ?? '');
    });
    await harness.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), template: template('nginx:2') },
    }));
    await harness.until(isDone());
    expect(removed).toEqual(['x-2', 'x-1', 'x-0']);
    expect(['x-0', 'x-1', 'x-2'].map(imageOf)).toEqual(['nginx:2', 'nginx:2', 'nginx:2']);
    expect(harness.client.list(controllerRevisions).map((one) => one['revision'])).toEqual([1, 2]);
    await harness.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), replicas: 1 },
    }));
    await harness.until(isDone(1));
    expect(harness.names(pods)).toEqual(['x-0']);
  });

  test('a partition leaves the lower ones as they are', async () => {
    harness = await startHarness();
    await harness.create(
      statefulSets,
      set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
    );
    await harness.until(isDone());
    await harness.edit(statefulSets, 'x', (object) => ({
      ...object,
      spec: { ...(object['spec'] as object), template: template('nginx:2') },
    }));
    await harness.until(() => harness.get(pods, 'x-2') && imageOf('x-2') === 'nginx:2' && phase('x-2') === 'Running');
    await harness.pass(2000);
    expect(['x-0', 'x-1', 'x-2'].map(imageOf)).toEqual(['nginx:1', 'nginx:1', 'nginx:2']);
  });
});

test('a DaemonSet runs one pod on each node, and updates them one at a time', async () => {
  harness = await startHarness({ nodes: 3 });
  await harness.create(daemonSets, workload('apps/v1', 'DaemonSet', {}));
  const isDone = () => {
    const status = statusOf(harness.get(daemonSets, 'x'));
    return (
      status['observedGeneration'] === harness.get(daemonSets, 'x').metadata.generation &&
      status['numberAvailable'] === 3 &&
      status['updatedNumberScheduled'] === 3
    );
  };
  await harness.until(isDone);
  expect(harness.table(daemonSets)).toMatchInlineSnapshot(`
    "
    NAME  DESIRED  CURRENT  READY  UP-TO-DATE  AVAILABLE  NODE SELECTOR
    x  3  3  3  3  3  <none>
    "
  `);
  const used = harness.client.list(pods).map((one) => (one['spec'] as { nodeName: string }).nodeName);
  expect(used.sort()).toEqual(['supercargo-node-1', 'supercargo-node-2', 'supercargo-node-3']);
  let fewest = 3;
  harness.client.watch(pods, () => {
    const ready = harness.client
      .list(pods)
      .filter((one) => statusOf(one)['phase'] === 'Running' && !one.metadata.deletionTimestamp);
    fewest = Math.min(fewest, ready.length);
  });
  await harness.edit(daemonSets, 'x', (object) => ({
    ...object,
    spec: { ...(object['spec'] as object), template: template('nginx:2') },
  }));
  await harness.until(isDone);
  expect(fewest).toBe(2);
});

test('a ReplicationController keeps its pods too', async () => {
  harness = await startHarness();
  await harness.create(replicationControllers, {
    ...workload('v1', 'ReplicationController', { replicas: 2 }),
    spec: { replicas: 2, selector: labels, template: template() },
  });
  await harness.until(() => statusOf(harness.get(replicationControllers, 'x'))['readyReplicas'] === 2);
});

test('a Service has the addresses of the pods it selects, and no others', async () => {
  harness = await startHarness();
  const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }] };
  await harness.create(services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec });
  await harness.create(deployments, deployment('web', { replicas: 2 }));
  await harness.create(deployments, deployment('other', { replicas: 2 }));
  const endpoints = () =>
    (harness.client.list(endpointSlices)[0]?.['endpoints'] ?? []) as { conditions: { ready: boolean } }[];
  await harness.until(() => endpoints().length === 2 && endpoints().every((one) => one.conditions.ready));
  expect(harness.client.list(endpointSlices)[0]).toMatchObject({
    metadata: { labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
  });
  await harness.edit(deployments, 'web', (object) => ({
    ...object,
    spec: { ...(object['spec'] as object), replicas: 0 },
  }));
  await harness.until(() => endpoints().length === 0);
});

test('a namespace gets its service account and certificate, also after they are deleted', async () => {
  harness = await startHarness({ rootCa: 'PEM' });
  await harness.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  const isComplete = () =>
    harness.client.get(serviceAccounts, 'team', 'default') &&
    harness.client.get(configMaps, 'team', 'kube-root-ca.crt');
  await harness.until(isComplete);
  await harness.client.delete(serviceAccounts, 'team', 'default');
  await harness.client.delete(configMaps, 'team', 'kube-root-ca.crt');
  await harness.until(isComplete);
});

test('a claim is bound to a volume that goes when the claim goes', async () => {
  harness = await startHarness();
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } };
  const metadata = { name: 'data', finalizers: ['kubernetes.io/pvc-protection'] };
  await harness.create(volumeClaims, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec });
  await harness.until(() => statusOf(harness.get(volumeClaims, 'data'))['phase'] === 'Bound');
  expect(harness.table(volumes)).toContain('2Gi  RWO  Delete  Bound  default/data');
  await harness.client.delete(volumeClaims, 'default', 'data');
  await harness.until(() => harness.names(volumeClaims).length === 0 && harness.names(volumes).length === 0);
});

test('a claim for a class that does not exist waits', async () => {
  harness = await startHarness();
  const spec = { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] };
  await harness.create(volumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec,
  });
  await harness.pass(500);
  expect(statusOf(harness.get(volumeClaims, 'data'))['phase']).toBeUndefined();
});

test('events are removed after their time, and not written when disabled', async () => {
  harness = await startHarness({ gcIntervalMs: 1000, eventTtlMs: 5000 });
  await harness.create(pods, pod('p'));
  await harness.until(() => harness.client.list(coreEvents).length >= 4);
  await harness.until(() => harness.client.list(coreEvents).length === 0, 10_000);
  await harness.end();
  harness = await startHarness({ events: false });
  await harness.create(pods, pod('p'));
  await harness.until(() => phase('p') === 'Running');
  await harness.pass(100);
  expect(harness.client.list(coreEvents)).toEqual([]);
});

test('after an abort nothing is left running', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web'));
  await harness.pass(30);
  await harness.end();
  expect(harness.clock.pending).toBe(0);
  const writes = harness.client.writes;
  await harness.pass(1000);
  expect(harness.client.writes).toBe(writes);
});
