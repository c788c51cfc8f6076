import { expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { InformerHandler } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { createController } from './controller.ts';
import { informerRunnable, informerSource } from './informer-source.ts';

const pod = (name: string, owner: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name, labels: { owner } },
});

/** An informer with two existing pods, and handlers that the test calls. */
function fakeInformer() {
  const handlers = new Set<InformerHandler<KubeObject>>();
  const there = [pod('a', 'x'), pod('b', 'x')];
  return {
    handlers,
    hasSynced: false,
    addHandler(handler: InformerHandler<KubeObject>) {
      handlers.add(handler);
      for (const object of there)
        handler.onAdd?.({
          key: `ns/${object.metadata.name}`,
          object,
          stored: object,
          isInitial: true,
          origin: 'listed',
        });
      return () => void handlers.delete(handler);
    },
    run: (signal: AbortSignal) => clockless(signal),
  };
}

const clockless = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

async function reconciled(keysOf?: Parameters<typeof informerSource<KubeObject, KubeObject>>[1]) {
  const informer = fakeInformer();
  const clock = createFakeClock();
  const seen: string[] = [];
  const stop = new AbortController();
  const controller = createController({
    metrics: unreadMetrics(),
    name: 'pods',
    clock,
    sources: [informerSource(informer, keysOf)],
    reconcile: async (key) => void seen.push(key),
  });
  const done = controller.run(stop.signal);
  await clock.advance(0);
  const changed = pod('a', 'y');
  for (const { onUpdate, onDelete } of informer.handlers) {
    onUpdate?.({ key: 'ns/a', object: changed, stored: changed, previous: pod('a', 'x') });
    onDelete?.({ key: 'ns/b', object: undefined, stored: pod('b', 'x') });
  }
  await clock.advance(0);
  stop.abort();
  await done;
  return { seen, informer };
}

it('feeds the keys of existing, changed and deleted objects, and removes its handler when it stops', async () => {
  const { seen, informer } = await reconciled();
  expect(seen).toEqual(['ns/a', 'ns/b', 'ns/a', 'ns/b']);
  expect(informer.handlers.size).toBe(0);
});

it('feeds the keys that keysOf returns', async () => {
  const { seen } = await reconciled(({ stored }) => Object.values(stored.metadata.labels ?? {}));
  expect(seen).toEqual(['x', 'y', 'x']);
});

it('is ready as a runnable when the first list is complete', () => {
  const informer = fakeInformer();
  const runnable = informerRunnable('pods', informer);
  expect(runnable.ready?.()).toBe('first list not complete');
  informer.hasSynced = true;
  expect(runnable.ready?.()).toBe(true);
});
