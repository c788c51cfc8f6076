import { afterEach, expect, test } from 'vitest';
import { statusError } from '../status.ts';
import { container, deployment, type SimulationHarness, startHarness } from './harness.testing.ts';
import { coreEvents, deployments, pods, replicaSets } from './kinds.ts';

let harness: SimulationHarness;
afterEach(() => harness.end());

type Status = { observedGeneration?: number; updatedReplicas?: number; availableReplicas?: number; replicas?: number };
const status = (name = 'web') =>
  (harness.get(deployments, name)['status'] ?? {}) as Status & { conditions?: Condition[] };
interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}
const condition = (type: string) => status().conditions?.find((one) => one.type === type);
const isRolledOut =
  (replicas = 3) =>
  () => {
    const { updatedReplicas, availableReplicas, replicas: total, observedGeneration } = status();
    if (observedGeneration !== harness.get(deployments, 'web').metadata.generation) return false;
    return updatedReplicas === replicas && availableReplicas === replicas && total === replicas;
  };
const setImage = (image: string) =>
  harness.edit(deployments, 'web', (object) => {
    const spec = object['spec'] as { template: object };
    return { ...object, spec: { ...spec, template: { ...spec.template, spec: { containers: [container(image)] } } } };
  });
const setSpec = (change: object) =>
  harness.edit(deployments, 'web', (object) => ({ ...object, spec: { ...(object['spec'] as object), ...change } }));
const revisions = () =>
  harness.client
    .list(replicaSets)
    .map(
      (set) =>
        `${set.metadata.annotations?.['deployment.kubernetes.io/revision']}:${(set['spec'] as { replicas: number }).replicas}`,
    )
    .sort();

test('a Deployment becomes a ReplicaSet and running pods, and says so', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web'));
  await harness.until(isRolledOut());
  expect(harness.table(deployments)).toMatchInlineSnapshot(`
    "
    NAME  READY  UP-TO-DATE  AVAILABLE
    web  3/3  3  3
    "
  `);
  expect(harness.table(replicaSets)).toMatchInlineSnapshot(`
    "
    NAME  DESIRED  CURRENT  READY
    web-fxbvdqp9jg  3  3  3
    "
  `);
  expect(harness.table(pods)).toMatchInlineSnapshot(`
    "
    NAME  READY  STATUS  RESTARTS
    web-fxbvdqp9jg-0000a  1/1  Running  0
    web-fxbvdqp9jg-0000b  1/1  Running  0
    web-fxbvdqp9jg-0000c  1/1  Running  0
    "
  `);
  expect(condition('Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' });
  expect(condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  expect(harness.get(deployments, 'web')).toMatchObject({
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
    status: { observedGeneration: 1 },
  });
  await harness.pass(100);
  const reasons = new Set(
    harness.client
      .list(coreEvents)
      .map((event) => `${(event['involvedObject'] as { kind: string }).kind} ${event['reason']}`),
  );
  expect([...reasons].sort()).toEqual([
    'Deployment ScalingReplicaSet',
    'Pod Created',
    'Pod Pulled',
    'Pod Scheduled',
    'Pod Started',
    'ReplicaSet SuccessfulCreate',
  ]);
});

test('a running pod looks as a kubelet would report it', async () => {
  harness = await startHarness();
  const spec = { initContainers: [{ name: 'init', image: 'busybox' }], containers: [container()] };
  await harness.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
  await harness.until(() => (harness.get(pods, 'p')['status'] as { phase?: string } | undefined)?.phase === 'Running');
  const pod = harness.get(pods, 'p');
  expect(pod).toMatchObject({
    spec: { nodeName: 'supercargo-node-1' },
    status: {
      podIP: '10.244.0.1',
      podIPs: [{ ip: '10.244.0.1' }],
      hostIP: '172.30.0.2',
      startTime: '2026-03-01T12:00:00Z',
      initContainerStatuses: [{ ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      containerStatuses: [
        {
          name: 'app',
          image: 'nginx:1',
          imageID: expect.stringMatching(/^nginx@sha256:[0-9a-f]{64}$/),
          containerID: expect.stringMatching(/^containerd:/),
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: '2026-03-01T12:00:00Z' } },
        },
      ],
    },
  });
  const conditions = (pod['status'] as { conditions: Condition[] }).conditions.map(
    (one) => `${one.type}=${one.status}`,
  );
  expect(conditions).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
});

test('a new image rolls out without going below what must stay available, and undoing it uses the old ReplicaSet again', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web', { replicas: 4 }));
  await harness.until(isRolledOut(4));
  const before = harness.names(replicaSets);
  let fewest = 4;
  let most = 4;
  harness.client.watch(pods, () => {
    const all = harness.client.list(pods).filter((pod) => !pod.metadata.deletionTimestamp);
    most = Math.max(most, all.length);
    const ready = all.filter((pod) => (pod['status'] as { phase?: string } | undefined)?.phase === 'Running');
    fewest = Math.min(fewest, ready.length);
  });
  await setImage('nginx:2');
  await harness.until(isRolledOut(4));
  await harness.until(() => harness.names(pods).length === 4);
  expect(fewest).toBeGreaterThanOrEqual(3);
  expect(most).toBeLessThanOrEqual(5);
  expect(revisions()).toEqual(['1:0', '2:4']);

  await setImage('nginx:1');
  await harness.until(() => isRolledOut(4)() && harness.names(pods).length === 4);
  expect(revisions()).toEqual(['2:0', '3:4']);
  expect(harness.names(replicaSets)).toEqual(expect.arrayContaining(before));
  const annotations = harness.get(replicaSets, before[0] ?? '').metadata.annotations;
  expect(annotations?.['deployment.kubernetes.io/revision-history']).toBe('1');
  expect(harness.get(deployments, 'web').metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
});

test('Recreate removes every old pod before the first new one', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web', { strategy: { type: 'Recreate' } }));
  await harness.until(isRolledOut());
  const images = new Set<string>();
  harness.client.watch(pods, () => {
    const seen = harness.client
      .list(pods)
      .map((pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image);
    images.add([...new Set(seen)].join('+'));
  });
  await setImage('nginx:2');
  await harness.until(() => isRolledOut()() && revisions().includes('2:3'));
  expect([...images].sort()).toEqual(['', 'nginx:1', 'nginx:2']);
});

test('a paused Deployment scales but does not roll, and rolls when resumed', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web'));
  await harness.until(isRolledOut());
  await setSpec({ paused: true });
  await setImage('nginx:2');
  await setSpec({ replicas: 5 });
  await harness.until(() => harness.names(pods).length === 5);
  await harness.pass(1000);
  expect(revisions()).toEqual(['1:5']);
  expect(condition('Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
  await setSpec({ paused: false });
  await harness.until(isRolledOut(5));
  expect(revisions()).toEqual(['1:0', '2:5']);
});

test('no more old ReplicaSets are kept than the history limit says', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web', { revisionHistoryLimit: 2 }));
  await harness.until(isRolledOut());
  for (const image of ['nginx:2', 'nginx:3', 'nginx:4', 'nginx:5']) {
    await setImage(image);
    await harness.until(() => isRolledOut()() && condition('Progressing')?.reason === 'NewReplicaSetAvailable');
  }
  await harness.until(() => harness.names(replicaSets).length === 3);
  expect(revisions()).toEqual(['3:0', '4:0', '5:3']);
});

test('pods that a policy denies are reported in events and conditions, and created once it allows them', async () => {
  harness = await startHarness();
  harness.client.refuse = (verb, type) => {
    if (verb === 'create' && type.resource === 'pods')
      throw statusError(403, 'admission webhook denied the request: no');
  };
  await harness.create(deployments, deployment('web'));
  await harness.until(() => condition('ReplicaFailure'));
  expect(condition('ReplicaFailure')).toMatchObject({
    reason: 'FailedCreate',
    message: expect.stringContaining('denied'),
  });
  expect(condition('Available')).toMatchObject({ status: 'False' });
  await harness.until(() => harness.client.list(coreEvents).some((event) => event['reason'] === 'FailedCreate'));
  harness.client.refuse = undefined;
  await harness.until(isRolledOut(), 120_000);
  await harness.until(() => condition('ReplicaFailure') === undefined);
});

test('a rollout that does not move for too long is given up, as rollout status expects', async () => {
  harness = await startHarness();
  harness.client.refuse = (verb, type) => {
    if (verb === 'create' && type.resource === 'pods') throw statusError(403, 'no');
  };
  await harness.create(deployments, deployment('web', { progressDeadlineSeconds: 5 }));
  await harness.until(() => condition('Progressing')?.reason === 'ProgressDeadlineExceeded');
  expect(condition('Progressing')?.status).toBe('False');
});

test('the result is the same when every third write conflicts', async () => {
  harness = await startHarness();
  harness.client.conflictEvery = 3;
  await harness.create(deployments, deployment('web'));
  await harness.until(isRolledOut());
  await setImage('nginx:2');
  await harness.until(() => isRolledOut()() && harness.names(pods).length === 3);
  expect(revisions()).toEqual(['1:0', '2:3']);
});

test('deleting a Deployment leaves nothing behind', async () => {
  harness = await startHarness();
  await harness.create(deployments, deployment('web'));
  await harness.until(isRolledOut());
  await harness.client.delete(deployments, 'default', 'web');
  await harness.until(() => harness.names(pods).length === 0);
  await harness.pass(1000);
  expect(harness.names(replicaSets)).toEqual([]);
  expect(harness.names(pods)).toEqual([]);
});

test('a pod costs a bounded number of writes, however many there are', async () => {
  harness = await startHarness({ events: false });
  const replicas = 1000;
  const before = harness.client.writes;
  await harness.create(deployments, deployment('web', { replicas }));
  await harness.until(() => status().availableReplicas === replicas, 600_000);
  // Create, bind, run; the rest are status updates of the owners.
  expect(harness.client.writes - before).toBeLessThan(replicas * 3 + 500);
}, 60_000);
