import { describe, expect, it } from 'vitest';
import { KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { SyncResult } from './result.ts';
import { createRunStore } from './run-store.ts';

const result = (outcome: SyncResult['outcome'], reason?: string): SyncResult => ({
  outcome,
  isDryRun: false,
  durationMs: 12.4,
  applied: [],
  updated: [],
  removed: [],
  rolledBack: [],
  unchanged: 3,
  failed:
    reason === undefined ? [] : [{ action: 'apply', label: 'a', reason, ref: undefined, object: undefined } as never],
});

function fakeCluster() {
  let stored: KubeObject | undefined;
  return {
    get runs() {
      return JSON.parse((stored!['data'] as { runs: string }).runs) as Record<string, unknown>[];
    },
    set text(runs: string) {
      stored = { ...stored!, data: { runs } };
    },
    client: {
      get: async () => {
        if (!stored) throw new KubeError('kube-not-found', 'none', { method: 'GET', path: '/' });
        return stored;
      },
      create: async (_: unknown, object: KubeObject) => {
        stored = object;
        return object;
      },
      patch: async (_: unknown, __: unknown, { body }: { body: object }) => {
        stored = { ...stored!, ...body };
        return stored;
      },
    } as never,
  };
}

describe('the store of sync runs', () => {
  const signal = new AbortController().signal;
  const open = () => {
    const cluster = fakeCluster();
    const redact = (text: string) => text.replaceAll('secret', '***');
    return { cluster, store: createRunStore({ client: cluster.client, namespace: 'n', installation: 'x', redact }) };
  };

  it('keeps the last twenty, the newest first, without secrets', async () => {
    const { cluster, store } = open();
    for (let index = 0; index < 25; index++)
      await store.add({ endedAtMs: index * 1000, result: result('succeeded') }, signal);
    await store.add({ endedAtMs: 30_000, result: result('failed', 'the secret is wrong') }, signal);
    expect(cluster.runs).toHaveLength(20);
    expect(cluster.runs[0]).toMatchObject({ outcome: 'failed', failed: 1, failures: ['a: the *** is wrong'] });
    expect(cluster.runs[1]).toMatchObject({ at: '1970-01-01T00:00:24Z', durationMs: 12, unchanged: 3 });
  });

  it('tells runs that could not begin', async () => {
    const { cluster, store } = open();
    await store.add({ endedAtMs: 0, error: 'locked', isDryRun: true }, signal);
    expect(cluster.runs).toMatchObject([{ outcome: 'not-run', isDryRun: true, failures: ['locked'] }]);
  });

  it('begins anew where somebody wrote something else', async () => {
    const { cluster, store } = open();
    await store.add({ endedAtMs: 0, result: result('succeeded') }, signal);
    cluster.text = '{"no": "list"';
    await store.add({ endedAtMs: 1000, result: result('succeeded') }, signal);
    expect(cluster.runs).toHaveLength(1);
  });
});
