import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { MirroredImage } from '../api/index.ts';
import type { Informer, InformerHandler } from '../kube/index.ts';
import { createMirroredImageStore } from './mirrored-image-store.ts';
import { fakeObjects, imageOf, mirrorRequestOf, signal } from './testing/fakes.ts';

function open(initial: readonly MirroredImage[] = []) {
  const clock = createFakeClock();
  let handler: InformerHandler<MirroredImage> = {};
  let refused = 0;
  const seen = new Map<string, MirroredImage>(initial.map((image) => [image.metadata.name!, image]));
  const show = (image: MirroredImage) => {
    const [key, previous] = [image.metadata.name!, seen.get(image.metadata.name!)];
    seen.set(key, image);
    if (previous) handler.onUpdate?.({ key, stored: image, previous, object: image });
    else handler.onAdd?.({ key, stored: image, object: image, isInitial: false, origin: 'added' });
  };
  const { objects, writes, client } = fakeObjects(initial);
  const informer = {
    get: (key: string) => seen.get(key),
    byIndex: () => [...seen.values()],
    addHandler: (given: InformerHandler<MirroredImage>) => {
      handler = given;
      return () => {};
    },
  } as unknown as Informer<MirroredImage>;
  const store = createMirroredImageStore({
    client,
    informer,
    installation: 'supercargo',
    maxPerNamespace: 3,
    onRefused: () => void refused++,
    clock,
  });
  /** The watch catches up. */
  const catchUp = () => [...objects.values()].forEach(show);
  return { store, clock, writes, objects, show, catchUp, refused: () => refused };
}

const at = (ms: number) => new Date(ms).toISOString();

describe('a mirror request in the store', () => {
  it('is refused when its namespace has too many, also before the watch has seen them', async () => {
    const { store, writes, catchUp, refused } = open();
    for (const tag of ['1', '2', '3']) await store.request(mirrorRequestOf(`busybox:${tag}`, 'x'), signal);
    await expect(store.request(mirrorRequestOf('busybox:4', 'x'), signal)).rejects.toThrow(
      'mirror.maxImagesPerNamespace',
    );
    catchUp();
    await expect(store.request(mirrorRequestOf('busybox:4', 'x'), signal)).rejects.toThrow(
      'namespace default has 3 images',
    );
    expect(await store.request(mirrorRequestOf('busybox:3', 'x'), signal)).toBe(true);
    expect([writes.length, refused()]).toEqual([3, 2]);
  });

  it('is written once, whichever replica makes it and however late the watch is', async () => {
    const { store, writes } = open();
    const requested = await Promise.all(
      Array.from({ length: 20 }, () => store.request(mirrorRequestOf('busybox:1', 'x'), signal)),
    );
    expect(requested).toEqual(Array(20).fill(true));
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatchObject({
      metadata: { labels: { 'supercargo.dev/owner': 'supercargo' } },
      spec: {
        source: 'docker.io/library/busybox:1',
        copy: 'backup.example/copies/docker.io/library/busybox:1',
        pullSecrets: [{ namespace: 'default', name: 'x' }],
      },
    });
  });

  it('adds its credentials to those of others, up to a limit for each namespace', async () => {
    const { store, catchUp, objects } = open([imageOf('busybox:1', { phase: 'Failed', checkedAt: at(0) })]);
    for (let i = 0; i < 70; i++) {
      await store.request(mirrorRequestOf('busybox:1', `secret-${i}`), signal);
      catchUp();
    }
    const secrets = () => [...objects.values()][0]!.spec.pullSecrets!;
    expect(secrets()).toHaveLength(16);
    const ofOther = { namespace: 'other', name: 'their-own' };
    await store.request({ ...mirrorRequestOf('busybox:1'), pullSecrets: [ofOther] }, signal);
    expect(secrets()).toContainEqual(ofOther);
    const again = open([
      imageOf('busybox:1', { phase: 'Copying' }, { pullSecrets: [{ namespace: 'default', name: 'x' }] }),
    ]);
    expect(await again.store.request(mirrorRequestOf('busybox:1', 'x'), signal)).toBe(true);
    expect(again.writes).toEqual([]);
  });

  it('of a workload with many secrets leaves room for those of other namespaces', async () => {
    const { store, writes } = open();
    const pullSecrets = Array.from({ length: 300 }, (_, i) => ({ namespace: 'greedy', name: `secret-${i}` }));
    await store.request({ ...mirrorRequestOf('busybox:1'), pullSecrets }, signal);
    expect(writes[0]?.spec.pullSecrets).toHaveLength(16);
  });

  it.each(['Copied', 'Failed'] as const)('opens what is %s again, but not at once', async (phase) => {
    const now = createFakeClock().now();
    const recent = open([imageOf('busybox:1', { phase, digest: 'sha256:a', checkedAt: at(now - 1_000) })]);
    expect(await recent.store.request(mirrorRequestOf('busybox:1'), signal)).toBe(false);
    expect(recent.writes).toEqual([]);
    const older = open([imageOf('busybox:1', { phase, digest: 'sha256:a', checkedAt: at(now - 6_000) })]);
    // Two replicas request it at the same moment.
    expect(
      await Promise.all([
        older.store.request(mirrorRequestOf('busybox:1'), signal),
        older.store.request(mirrorRequestOf('busybox:1'), signal),
      ]),
    ).toEqual([true, true]);
    expect(older.writes.map(({ status }) => status?.phase)).toEqual(['Pending']);
    expect(older.writes[0]!.status?.digest).toBe('sha256:a');
  });

  it('is waited for until it is copied, or the signal aborts', async () => {
    const { store, show } = open();
    const mirrorRequest = mirrorRequestOf('busybox:1');
    const waiting = store.waitFor(mirrorRequest, ({ phase }) => phase === 'Copied', signal);
    show(imageOf('busybox:1', { phase: 'Copying', attempts: 1 }));
    show(imageOf('other:1', { phase: 'Copied' }));
    show(imageOf('busybox:1', { phase: 'Copied', digest: 'sha256:a', attempts: 1 }));
    expect(await waiting).toMatchObject({ phase: 'Copied', digest: 'sha256:a' });
    const end = new AbortController();
    const endless = store.waitFor(mirrorRequest, () => false, end.signal);
    end.abort();
    expect(await endless).toMatchObject({ phase: 'Copied' });
    expect(await store.waitFor(mirrorRequestOf('never:1'), () => false, end.signal)).toMatchObject({
      phase: 'Unknown',
    });
  });

  it('has a conflict where the copies of another source are', () => {
    const other = imageOf(
      'quay.io/x/busybox:1',
      { phase: 'Copied', digest: 'sha256:a' },
      { copy: 'backup.example/copies/docker.io/library/busybox:9' },
    );
    expect(open([other]).store.conflictingSource(mirrorRequestOf('busybox:1'))).toBe('quay.io/x/busybox:1');
    expect(
      open([imageOf('busybox:2', { phase: 'Copied', digest: 'sha256:a' })]).store.conflictingSource(
        mirrorRequestOf('busybox:1'),
      ),
    ).toBeUndefined();
    expect(
      open([{ ...other, status: { phase: 'Failed' } }]).store.conflictingSource(mirrorRequestOf('busybox:1')),
    ).toBeUndefined();
  });
});
