import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { CopyEvent } from '../registry/index.ts';
import { type CopiedBytes, createCopyProgress } from './copy-progress.ts';

const digest = (name: string) => `sha256:${name}` as Extract<CopyEvent, { kind: 'blob-copied' }>['digest'];
const going = (name: string, size: number, doneBytes: number): CopyEvent => ({
  kind: 'blob-progress',
  digest: digest(name),
  size,
  doneBytes,
});

it('reports the transfer at most once a second and one write at a time', async () => {
  const clock = createFakeClock();
  const reported: CopiedBytes[] = [];
  let finish = () => {};
  const progress = createCopyProgress(clock, (bytes) => {
    reported.push(bytes);
    return new Promise((resolve) => {
      finish = resolve;
    });
  });
  // A blob that exists is not missing, so it does not count.
  progress.onEvent({ kind: 'blob-found', digest: digest('a'), size: 100 });
  progress.onEvent({ kind: 'blob-skipped', digest: digest('a'), size: 100, why: 'present' });
  expect(reported).toEqual([]);
  progress.onEvent(going('b', 50, 10));
  progress.onEvent(going('c', 70, 0));
  expect(reported).toEqual([{ bytesTotal: 50, bytesCopied: 10 }]);
  await clock.advance(5_000);
  progress.onEvent(going('b', 50, 20));
  expect(reported).toHaveLength(1);
  finish();
  await progress.settled();
  progress.onEvent({ kind: 'blob-copied', digest: digest('b'), size: 50 });
  expect(reported[1]).toEqual({ bytesTotal: 120, bytesCopied: 50 });
  finish();
  await progress.settled();
  progress.onEvent({ kind: 'blob-copied', digest: digest('c'), size: 70 });
  expect(reported).toHaveLength(2);
  // The size of the image has the skipped one too.
  expect(progress.whole).toEqual({ bytesTotal: 220, bytesCopied: 220 });
});

it('counts a blob of several platforms once, and none that is not copied', () => {
  const progress = createCopyProgress(createFakeClock(), async () => undefined);
  const { onEvent } = progress;
  for (const why of ['mounted', 'present'] as const) {
    onEvent({ kind: 'blob-found', digest: digest('shared'), size: 7 });
    onEvent({ kind: 'blob-skipped', digest: digest('shared'), size: 7, why });
  }
  onEvent({ kind: 'blob-found', digest: digest('foreign'), size: 1_000 });
  onEvent({ kind: 'blob-skipped', digest: digest('foreign'), size: 1_000, why: 'foreign' });
  expect(progress.whole).toEqual({ bytesTotal: 7, bytesCopied: 7 });
});

it('continues when a write fails', async () => {
  const clock = createFakeClock();
  let writes = 0;
  const progress = createCopyProgress(clock, async () => {
    writes++;
    throw new Error('the server is gone');
  });
  progress.onEvent(going('a', 1, 0));
  await progress.settled();
  await clock.advance(1_000);
  progress.onEvent(going('a', 1, 1));
  await progress.settled();
  expect(writes).toBe(2);
});
