import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type Checkpoint, emptyCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { CheckpointStore } from './checkpoint-store.ts';

const refused = (code: 'kube-not-found' | 'kube-conflict' | 'kube-unreachable') =>
  new KubeError(code, code, { method: 'PUT', path: '/' });

/** One ConfigMap, with versions. */
function server() {
  let stored: KubeObject | undefined;
  const writes: number[] = [];
  const state = { isDown: false, clock: createFakeClock(Date.parse('2030-01-01T00:00:00Z')) };
  const put = (object: KubeObject) => {
    const resourceVersion = String(Number(stored?.metadata.resourceVersion ?? 0) + 1);
    const metadata = { creationTimestamp: '2030-01-01T00:00:00Z', ...object.metadata, resourceVersion };
    stored = { ...object, metadata };
    return stored;
  };
  const client = {
    async get() {
      if (!stored) throw refused('kube-not-found');
      return stored as never;
    },
    create: async (_: unknown, object: unknown) => put(object as KubeObject) as never,
    async replace(_: unknown, object: unknown) {
      if (state.isDown) throw refused('kube-unreachable');
      const { resourceVersion } = (object as KubeObject).metadata;
      if (resourceVersion !== stored?.metadata.resourceVersion) throw refused('kube-conflict');
      writes.push(state.clock.monotonicMs());
      return put(object as KubeObject) as never;
    },
  };
  const read = () => parseCheckpoint((stored?.['data'] as Record<string, string> | undefined)?.['checkpoint']);
  return { client, writes, state, put, read, stored: () => stored! };
}

const at = (resourceVersion: string): Checkpoint => ({
  ...emptyCheckpoint,
  marks: { 'v1/pods': { resourceVersion, timeMs: 0, handled: [] } },
});

async function run(
  test: (part: ReturnType<typeof server> & { store: CheckpointStore; now: Checkpoint[] }) => Promise<void>,
) {
  const part = server();
  const now = [at('1')];
  const store = new CheckpointStore({
    client: part.client,
    namespace: 'ours',
    installation: 'supercargo',
    clock: part.state.clock,
    log: silentLogger,
    current: () => now.at(-1)!,
  });
  const stop = new AbortController();
  const opened = await store.open(stop.signal);
  expect(opened).toEqual({ checkpoint: emptyCheckpoint, sinceMs: Date.parse('2030-01-01T00:00:00Z') });
  const running = store.run(stop.signal);
  await test({ ...part, store, now });
  stop.abort();
  await running;
  expect(part.read()?.marks).toEqual(now.at(-1)!.marks);
}

describe('the checkpoint’s ConfigMap', () => {
  it('is written at once, then at most every two seconds, and once more at the end', () =>
    run(async ({ store, state, writes, now }) => {
      for (let i = 2; i < 42; i++) {
        now.push(at(String(i)));
        store.touch();
        await state.clock.advance(250);
      }
      expect(writes.length).toBe(6);
      for (const [i, atMs] of writes.entries()) if (i > 0) expect(atMs - writes[i - 1]!).toBeGreaterThanOrEqual(2000);
      now.push(at('99'));
    }));

  it('is not written when nothing changed', () =>
    run(async ({ store, state, writes }) => {
      for (let i = 0; i < 5; i++) {
        store.touch();
        await state.clock.advance(3000);
      }
      expect(writes.length).toBe(1);
    }));

  it('is merged with what another leader wrote in between', () =>
    run(async ({ store, state, put, stored, read, now }) => {
      store.touch();
      await state.clock.advance(3000);
      const theirs = { ...emptyCheckpoint, marks: { 'v1/secrets': { resourceVersion: '5', timeMs: 0, handled: [] } } };
      put({ ...stored(), data: { checkpoint: JSON.stringify(theirs) } });
      now.push(at('7'));
      store.touch();
      await state.clock.advance(3000);
      expect(Object.keys(read()!.marks).sort()).toEqual(['v1/pods', 'v1/secrets']);
      expect(read()!.marks['v1/pods']?.resourceVersion).toBe('7');
      now.push({ ...at('7'), marks: { ...at('7').marks, ...theirs.marks } });
    }));

  it('is written when the server is available again', () =>
    run(async ({ store, state, writes }) => {
      state.isDown = true;
      store.touch();
      await state.clock.advance(10_000);
      expect(writes).toEqual([]);
      state.isDown = false;
      await state.clock.advance(3000);
      expect(writes.length).toBe(1);
    }));
});
