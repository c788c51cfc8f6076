import { getEventListeners, setMaxListeners } from 'node:events';
import { Registry } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { GenerateRecorder } from './generate-recorder.ts';
import { outboxEntryOf, renderOutbox } from './outbox.ts';
import { OutboxReader } from './outbox-reader.ts';

const box = (entries: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'ours-outbox-1', namespace: 'ours', uid: 'u', resourceVersion: '1' },
  data: { entries },
});

function entry(name: string) {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'shop', uid: name } };
  const request = {
    uid: name,
    operation: 'CONNECT' as const,
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: 'exec',
    namespace: 'shop',
    name,
    object,
    namespaceLabels: {},
    info: { userInfo: { username: 'jane', groups: [] }, roles: [], clusterRoles: [] },
    dryRun: false,
    isTrusted: true,
  };
  return outboxEntryOf(request, ['p'], 0);
}

/** Processes this many entries; returns how many listeners are left on the session's signal. */
async function listenersAfter(count: number): Promise<number> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let stored = box(renderOutbox(Array.from({ length: count }, (_, i) => entry(`pod-${i}`))));
  const client = {
    async *pages() {
      yield { resourceVersion: '1', items: [stored] };
    },
    async *watch() {
      if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    },
    get: async () => stored,
    replace: async (_: unknown, object: KubeObject) => (stored = object),
  } as unknown as KubeClient;
  const reader = new OutboxReader({
    isOwnRequest: () => false,
    client,
    namespace: 'ours',
    installation: 'ours',
    clock: systemClock,
    log: silentLogger,
    recorder: new GenerateRecorder({
      events: { record: () => {}, dropped: 0, run: async () => {} },
      metrics: new Registry(),
      log: silentLogger,
    }),
    trigger: ({ done }) => queueMicrotask(done),
    confirmableOf: () => new Set(),
  });
  const running = reader.run(stop.signal);
  await vi.waitFor(() => expect(stored['data']).toEqual({ entries: '[]' }));
  const listeners = getEventListeners(stop.signal, 'abort').length;
  stop.abort();
  await running;
  return listeners;
}

describe('the reader of the outboxes', () => {
  it('keeps nothing of a processed request', async () => {
    expect(await listenersAfter(30)).toBe(await listenersAfter(1));
  });
});
