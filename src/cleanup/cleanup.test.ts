import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { eventually } from '../../test/support/wait.ts';
import { silentLogger, systemClock } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { createCleanup } from './cleanup.ts';
import { createCleanupMetrics } from './metrics.ts';
import type { DeletingStatus } from './status.ts';
import { deletingPolicy, pod, pods } from './testing/policies.ts';

/** Cleans up one pod; the policy is in a server that refuses what is written over another version. */
async function cleanUp(onDelete: (change: (metadata: object) => void) => void): Promise<KubeObject> {
  let stored = deletingPolicy({}, { resourceVersion: '1', creationTimestamp: '2020-01-01T00:00:00Z' });
  let version = 1;
  const put = (object: KubeObject) => {
    stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    return stored;
  };
  const live = { object: stored, key: 'DeletingPolicy/p', ...compilePolicy(stored) };
  const stop = new AbortController();
  const controller = createCleanup({
    client: {
      get: async () => stored as never,
      async *pages() {
        yield { resourceVersion: '1', items: [pod('a', 'Succeeded')] } as never;
      },
      async delete() {
        onDelete((metadata) => put({ ...stored, metadata: { ...stored.metadata, ...metadata } }));
      },
      async replace(_: unknown, object: unknown) {
        const { metadata } = object as KubeObject;
        if (metadata.resourceVersion !== stored.metadata.resourceVersion)
          throw new KubeError('kube-conflict', 'conflict', { method: 'PUT', path: '/' });
        return put(object as KubeObject) as never;
      },
    },
    discovery: { list: async () => [pods] },
    informers: { for: () => ({ get: () => stored }) } as never,
    policies: {
      all: [live],
      get: () => live,
      subscribe: () => () => {},
      current: { exceptions: [] } as never,
    },
    lookUps: { answer: () => Promise.reject(new Error('not asked')) },
    namespaceLabels: async () => ({}),
    isSpared: () => false,
    maxDeletions: 10,
    timeoutMs: 60_000,
    startingDeadlineMs: undefined,
    namespacedResources: [],
    events: { record: () => {}, dropped: 0, run: async () => {} },
    metrics: createCleanupMetrics(new Registry()),
    controllerMetrics: unreadMetrics(),
    clock: systemClock,
    log: silentLogger,
  });
  const running = controller.run(stop.signal);
  await eventually(() => expect(stored['status']).toHaveProperty('conditionStatus'));
  stop.abort();
  await running;
  return stored;
}

it('notes its run in a policy that was labelled meanwhile', async () => {
  const { metadata, ...policy } = await cleanUp((change) => change({ labels: { team: 'a' } }));
  expect(metadata.labels).toEqual({ team: 'a' });
  const { lastExecutionTime, conditionStatus } = policy['status'] as DeletingStatus;
  expect(lastExecutionTime).toBeDefined();
  expect(conditionStatus?.conditions).toContainEqual(
    expect.objectContaining({ type: 'LastRunSucceeded', message: '1 object deleted' }),
  );
});
