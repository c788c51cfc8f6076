import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { MirroredImage } from '../api/index.ts';
import { SupercargoError } from '../base/index.ts';
import type { Digest } from '../image/index.ts';
import { type CopyResult, RegistryError } from '../registry/index.ts';
import { createCopyController } from './copy-controller.ts';
import type { CopyImage, CopyTask } from './copy-image.ts';
import { createCopyNames } from './desired-copies.ts';
import { noClaims } from './name-claims.ts';
import { fakeObjects, imageOf, log, metrics, signal, target } from './testing/fakes.ts';

const one = `sha256:${'1'.repeat(64)}` as Digest;
const two = `sha256:${'2'.repeat(64)}` as Digest;
const hour = 3_600_000;

const result = (digest: Digest): CopyResult => ({
  digest,
  mediaType: 'x',
  state: 'copied',
  durationMs: 1,
  manifests: 1,
  referrers: 0,
  copiedBlobs: 1,
  copiedBytes: 10,
  mountedBlobs: 0,
  presentBlobs: 0,
});

interface Scene {
  readonly image: MirroredImage;
  readonly copy?: CopyImage;
  readonly copyDigest?: () => Promise<string | undefined>;
  readonly sourceDigest?: () => Promise<string | undefined>;
  readonly isWhole?: boolean;
  readonly conflicting?: string;
  readonly follow?: boolean;
  readonly isUsed?: boolean | undefined;
}

function play({
  image,
  copy = async () => result(one),
  copyDigest,
  sourceDigest,
  isWhole = true,
  conflicting,
  follow = false,
  isUsed = true,
}: Scene) {
  const clock = createFakeClock();
  const { objects, writes, client } = fakeObjects([image]);
  const orders: CopyTask[] = [];
  const reported: string[] = [];
  const reconcile = createCopyController({
    client,
    imageOf: (key) => (key === image.metadata.name ? image : undefined),
    names: createCopyNames({ target, mapping: 'path' }),
    claims: conflicting === undefined ? noClaims : { claim: async () => conflicting, release() {} },
    copy(order) {
      orders.push(order);
      return copy(order);
    },
    headSource: sourceDigest ?? (async () => one),
    headCopy: copyDigest ?? (async () => one),
    isWhole: async () => isWhole,
    installation: 'supercargo',
    recheckMs: hour,
    follow,
    isUsed: () => isUsed,
    keepUnusedMs: 24 * hour,
    events: { record: (_, { reason, message }) => void reported.push(`${reason}: ${message}`) },
    metrics,
    clock,
    log,
  });
  return {
    clock,
    orders,
    writes,
    reported,
    status: () => objects.get(image.metadata.name!)?.status,
    remove: () => objects.delete(image.metadata.name!),
    run: () => reconcile(image.metadata.name!, signal),
  };
}

const copiedAt = (ms: number) => new Date(ms).toISOString();
const copied = (ms: number, more: object = {}) => ({
  phase: 'Copied' as const,
  digest: one,
  attempts: 1,
  checkedAt: copiedAt(ms),
  ...more,
});

describe('an image to copy', () => {
  it('is copied with status updates, and checked again later', async () => {
    const scene = play({
      image: imageOf('busybox:1'),
      async copy({ onEvent }) {
        onEvent({ kind: 'blob-progress', digest: one, size: 100, doneBytes: 40 });
        return result(one);
      },
    });
    expect(await scene.run()).toEqual({ requeueAfterMs: hour });
    expect(scene.writes.map(({ status }) => [status?.phase, status?.bytesCopied])).toEqual([
      ['Copying', 0],
      ['Copying', 40],
      ['Copied', 100],
    ]);
    expect(scene.status()).toMatchObject({
      digest: one,
      sourceDigest: one,
      attempts: 1,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Copied' }],
    });
    expect(scene.reported).toEqual([]);
  });

  it('is retried soon when that may help, and rarely when it does not', async () => {
    const failing = (retry: 'never' | 'backoff') =>
      play({
        image: imageOf('busybox:1', { phase: 'Failed', attempts: 4 }),
        copy: () => Promise.reject(new SupercargoError('x', 'it did not work', { retry })),
      });
    const retried = failing('backoff');
    await expect(retried.run()).rejects.toThrow('it did not work');
    const rarely = failing('never');
    expect(await rarely.run()).toEqual({ requeueAfterMs: 600_000 });
    const unauthorized = new RegistryError('registry-unauthorized', 'no', {
      registry: 'x',
      method: 'GET',
      url: 'x',
      status: 401,
    });
    const login = play({ image: imageOf('busybox:1'), copy: () => Promise.reject(unauthorized) });
    expect(await login.run()).toEqual({ requeueAfterMs: 30_000 });
    for (const scene of [retried, rarely]) {
      expect(scene.status()).toMatchObject({ phase: 'Failed', message: 'it did not work', attempts: 5 });
      expect(scene.reported).toEqual(['CopyFailed: it did not work']);
    }
  });

  it.each([
    [0, 30_000],
    [1, 60_000],
    [8, 600_000],
  ])(
    'that is absent, or hidden by missing access, is retried soon at first: attempt %i',
    async (attempts, requeueAfterMs) => {
      const absent = new RegistryError('registry-not-found', 'no', {
        registry: 'x',
        method: 'GET',
        url: 'x',
        status: 404,
      });
      const image = imageOf('busybox:1', { phase: 'Failed', attempts });
      expect(await play({ image, copy: () => Promise.reject(absent) }).run()).toEqual({ requeueAfterMs });
    },
  );

  it('is ignored when it is not ours, or gone', async () => {
    const foreign = imageOf('busybox:1');
    const scene = play({ image: { ...foreign, metadata: { ...foreign.metadata, labels: {} } } });
    expect(await scene.run()).toEqual({});
    const gone = play({ image: imageOf('busybox:1') });
    gone.remove();
    expect(await gone.run()).toEqual({});
    expect([...scene.orders, ...gone.orders]).toEqual([]);
  });

  it.each([
    [{ source: 'not an image' }, 'not an image'],
    [{ copy: 'elsewhere.example/x:1' }, 'elsewhere.example/x:1 is not where copies go'],
    [{ copy: 'backup.example/copies/x' }, 'has no tag'],
    [{ source: 'backup.example/copies/x:1' }, 'is where copies go; there is nothing to copy'],
    [{ source: 'busybox' }, 'neither a tag nor a digest'],
  ])('is refused when it says %j', async (spec, message) => {
    const scene = play({ image: imageOf('busybox:1', undefined, spec) });
    expect(await scene.run()).toEqual({ requeueAfterMs: hour });
    expect(scene.status()).toMatchObject({ phase: 'Failed', message: expect.stringContaining(message) });
    expect(scene.orders).toEqual([]);
  });

  it('is refused when another source owns its name', async () => {
    const scene = play({ image: imageOf('busybox:1'), conflicting: 'quay.io/x/busybox:1' });
    expect(await scene.run()).toEqual({ requeueAfterMs: 600_000 });
    expect(scene.status()?.message).toContain('is the copy of quay.io/x/busybox:1');
    expect(scene.orders).toEqual([]);
  });
});

describe('a copied image', () => {
  const start = createFakeClock().now();

  it('is not checked before its time', async () => {
    const scene = play({
      image: imageOf('busybox:1', copied(start)),
      copyDigest: () => Promise.reject(new Error('no')),
    });
    expect(await scene.run()).toEqual({ requeueAfterMs: hour });
    expect(scene.writes).toEqual([]);
  });

  it('is recorded as still present', async () => {
    const scene = play({ image: imageOf('busybox:1', copied(start - hour)) });
    expect(await scene.run()).toEqual({ requeueAfterMs: hour });
    expect(scene.orders).toEqual([]);
    expect(Date.parse(scene.status()?.checkedAt ?? '')).toBe(Math.floor(start / 1000) * 1000);
  });

  it.each([undefined, two])('is copied again when the registry has %s in its place', async (found) => {
    const scene = play({ image: imageOf('busybox:1', copied(start - hour)), copyDigest: async () => found });
    await scene.run();
    expect(scene.orders).toHaveLength(1);
    expect(scene.status()).toMatchObject({ phase: 'Copied', attempts: 2 });
  });

  it('is copied again when the registry has the manifest but lost a layer', async () => {
    const scene = play({ image: imageOf('busybox:1', copied(start - hour)), isWhole: false });
    await scene.run();
    expect(scene.orders).toHaveLength(1);
    expect(scene.status()).toMatchObject({ phase: 'Copied', attempts: 2 });
  });

  it('is copied again after its tag moved where that is configured, and otherwise reports the move', async () => {
    const moved = { sourceDigest: async () => two, copy: async () => result(two) };
    const following = play({ ...moved, image: imageOf('busybox:1', copied(start - hour), { follow: true }) });
    await following.run();
    expect(following.status()).toMatchObject({ digest: two, attempts: 2 });
    const asSet = play({ ...moved, image: imageOf('busybox:1', copied(start - hour)), follow: true });
    await asSet.run();
    expect(asSet.status()).toMatchObject({ digest: two, attempts: 2 });
    const left = play({ ...moved, image: imageOf('busybox:1', copied(start - hour)) });
    await left.run();
    expect(left.orders).toEqual([]);
    expect(left.status()).toMatchObject({ phase: 'Copied', digest: one, sourceDigest: two });
    expect(left.status()?.message).toContain('it is not followed');
  });

  it('stays unchanged when its source cannot be reached', async () => {
    const image = imageOf('busybox:1', copied(start - hour), { follow: true });
    const scene = play({ image, sourceDigest: () => Promise.reject(new Error('gone')) });
    expect(await scene.run()).toEqual({ requeueAfterMs: hour });
    expect(scene.status()).toMatchObject({ phase: 'Copied', digest: one });
  });

  it('stays unchanged when the backup registry does not answer', async () => {
    const image = imageOf('busybox:1', copied(start - hour));
    const scene = play({ image, copyDigest: () => Promise.reject(new Error('down')) });
    await expect(scene.run()).rejects.toThrow('down');
    expect(scene.status()).toMatchObject({ phase: 'Copied', digest: one });
  });

  it('is no longer checked when no workload uses it, and its record is deleted after a time', async () => {
    const calls = () => Promise.reject(new Error('unexpected registry call'));
    const idle = { copyDigest: calls, sourceDigest: calls, isUsed: false };
    const noticed = play({ ...idle, image: imageOf('busybox:1', copied(start - hour)) });
    expect(await noticed.run()).toEqual({ requeueAfterMs: hour });
    expect(noticed.status()).toMatchObject({ phase: 'Copied', unusedSince: expect.any(String) });
    const unusedSince = new Date(start - 25 * hour).toISOString();
    const status = { ...copied(start - hour), unusedSince };
    const expired = play({ ...idle, image: imageOf('busybox:1', status) });
    expect(await expired.run()).toEqual({});
    expect(expired.status()).toBeUndefined();
    const failed = play({ ...idle, image: imageOf('busybox:1', { phase: 'Failed', attempts: 1 }) });
    await failed.run();
    expect(failed.orders).toEqual([]);
    // A workload uses it again.
    const back = play({ image: imageOf('busybox:1', status) });
    await back.run();
    expect(back.status()).toMatchObject({ phase: 'Copied' });
    expect(back.status()?.unusedSince).toBe('');
  });
});
