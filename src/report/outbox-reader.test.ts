import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { readOutboxes } from './outbox-reader.ts';

const entry = (uid: string) => ({ uid, body: { a: 1, b: 2 }, contents: [] });
const box = (name: string, ...uids: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ours', uid: name, resourceVersion: '1' },
  data: { entries: JSON.stringify(uids.map(entry)) },
});

/** Reads these outboxes, and tells which are deleted while it goes on. */
async function reading(boxes: readonly KubeObject[], answer: () => void = () => {}) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const taken: string[] = [];
  const deleted: string[] = [];
  const waiting = new Set<string>();
  let oldestChangeMs: number | undefined;
  const client = {
    async *pages() {
      yield { resourceVersion: '1', items: boxes };
    },
    async *watch() {
      if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    },
    async delete(_: unknown, { name }: { readonly name: string }) {
      answer();
      deleted.push(name);
    },
  } as unknown as KubeClient;
  const running = readOutboxes(
    {
      client,
      installation: 'ours',
      namespace: 'ours',
      take: ({ uid }) => taken.push(uid),
      isWaitingFor: (uid) => waiting.has(uid),
      oldestChangeMs: () => oldestChangeMs,
      clock,
      log: silentLogger,
    },
    stop.signal,
  );
  await vi.waitFor(() => expect([taken.length, clock.pending]).toEqual([boxes.length, 1]));
  return {
    deleted,
    waiting,
    advance: (ms: number) => clock.advance(ms),
    unwritten(sinceMs: number | undefined) {
      oldestChangeMs = sinceMs;
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
}

describe('the reader of the outboxes of results', () => {
  it('deletes one when none of its own results waits and those are written, whatever others wait for', async () => {
    const { deleted, waiting, advance, unwritten, stop } = await reading([box('one', 'a'), box('two', 'b')]);
    waiting.add('a');
    waiting.add('b');
    await advance(1_000);
    expect(deleted).toEqual([]);
    waiting.delete('a');
    unwritten(500);
    await advance(1_000);
    expect(deleted).toEqual([]);
    // What changed after its results had been taken over need not be written.
    unwritten(5_000);
    await advance(1_000);
    expect(deleted).toEqual(['one']);
    await stop();
  });

  it('deletes one after a minute in any case', async () => {
    const { deleted, waiting, advance, stop } = await reading([box('one', 'a')]);
    waiting.add('a');
    await advance(59_000);
    expect(deleted).toEqual([]);
    await advance(2_000);
    expect(deleted).toEqual(['one']);
    await stop();
  });

  it('tries again when the server does not answer', async () => {
    let failures = 2;
    const { deleted, advance, stop } = await reading([box('one', 'a')], () => {
      if (failures-- > 0) throw new Error('no answer');
    });
    await advance(2_000);
    expect(deleted).toEqual(['one']);
    await stop();
  });
});
