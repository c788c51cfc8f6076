import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { KubeObject } from '../object/index.ts';
import type { CopyState, CopyWish } from './copy-book.ts';
import { createRewriteController, workloadKey } from './rewrite-controller.ts';
import type { MirrorSettings } from './settings.ts';
import { fakeObjects, kubeError, log, metrics, settings, signal, target } from './testing/fakes.ts';
import { createCopyNames } from './wanted.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const copied: CopyState = { phase: 'Copied', digest, attempts: 1 };
const workload = (kind: string, metadata: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'default', uid: '1', resourceVersion: '5', ...metadata },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'busybox:1' }] } } },
});

interface Scene {
  readonly object?: KubeObject;
  readonly state?: CopyState;
  readonly isThere?: () => Promise<boolean>;
  readonly isAccepted?: boolean;
  readonly settings?: Partial<MirrorSettings>;
  readonly namespace?: string;
  readonly patch?: () => Promise<never>;
  readonly resourceVersion?: () => string;
}

function play({ object = workload('Deployment'), state = copied, namespace = 'default', ...scene }: Scene) {
  const { writes, client } = fakeObjects([object]);
  const asked: CopyWish[] = [];
  const told: string[] = [];
  let reads = 0;
  const reconcile = createRewriteController({
    client: {
      async get(...args: Parameters<typeof client.get>) {
        reads++;
        const found = (await client.get(...args)) as KubeObject;
        const resourceVersion = scene.resourceVersion?.() ?? found.metadata.resourceVersion;
        return { ...found, metadata: { ...found.metadata, resourceVersion } } as never;
      },
      patch: scene.patch ?? client.patch,
    },
    settings: { ...settings, ...scene.settings },
    names: createCopyNames({ target, mapping: 'path' }),
    typeOf: (kind) => ({ group: 'apps', version: 'v1', resource: 'x', kind, namespaced: true }),
    namespaceLabels: async (name) => (name === 'quiet' ? {} : { 'image-clone-controller': 'enabled' }),
    book: {
      stateOf: () => state,
      rivalOf: () => undefined,
      async ask(wish) {
        asked.push(wish);
        return scene.isAccepted ?? true;
      },
      waitFor: () => Promise.reject(new Error('nobody waits here')),
    },
    presence: { isThere: scene.isThere ?? (async () => true) },
    events: { record: (_, { message }) => void told.push(message) },
    metrics,
    clock: createFakeClock(),
    log,
  });
  return {
    writes,
    asked,
    told,
    reads: () => reads,
    run: () => reconcile(workloadKey(object.kind, namespace, 'web'), signal),
  };
}

const imageIn = (object: KubeObject | undefined) =>
  (object?.['spec'] as { template: { spec: { containers: { image: string }[] } } } | undefined)?.template.spec
    .containers[0]?.image;

describe('a workload that is there already', () => {
  it('is rewritten when its copies can be pulled, and that is told', async () => {
    const scene = play({});
    expect(await scene.run()).toEqual({});
    expect(imageIn(scene.writes[0])).toBe('backup.example/copies/docker.io/library/busybox:1');
    expect(scene.told).toEqual([
      'replaced by their copies: busybox:1 → backup.example/copies/docker.io/library/busybox:1',
    ]);
    expect(scene.asked).toEqual([]);
  });

  it('has its copies asked for, and comes back by itself only when nobody will call', async () => {
    const underWay = play({ state: { phase: 'Unknown', attempts: 0 } });
    expect(await underWay.run()).toEqual({});
    expect(underWay.asked).toHaveLength(1);
    const failed = play({ state: { phase: 'Failed', attempts: 1 }, isAccepted: false });
    expect(await failed.run()).toEqual({ requeueAfterMs: 10_000 });
    const down = play({ isThere: () => Promise.reject(new Error('down')) });
    expect(await down.run()).toEqual({ requeueAfterMs: 10_000 });
    expect([...underWay.writes, ...failed.writes, ...down.writes, ...down.asked]).toEqual([]);
  });

  it.each<[string, Scene]>([
    [
      'a GitOps tool keeps',
      { object: workload('Deployment', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'x' } }) },
    ],
    ['cannot get other images', { object: workload('Job') }],
    ['makes the pods that are rewritten', { settings: { rewrite: 'pods' } }],
  ])('is copied and not rewritten when it is one that %s', async (_, scene) => {
    const lost = play({ ...scene, state: { phase: 'Unknown', attempts: 0 } });
    await lost.run();
    expect(lost.asked).toHaveLength(1);
    const { run, writes } = play(scene);
    await run();
    expect(writes).toEqual([]);
  });

  it('is not even read in a namespace that is not looked at', async () => {
    for (const namespace of ['quiet', 'kube-system', 'supercargo']) {
      const scene = play({ namespace });
      expect(await scene.run()).toEqual({});
      expect(scene.reads()).toBe(0);
    }
  });

  it('is looked at anew when it changed meanwhile, and complained of when it is refused', async () => {
    const owner = { apiVersion: 'x/v1', kind: 'X', name: 'x', uid: '1', controller: true };
    expect(await play({ object: workload('Deployment', { ownerReferences: [owner] }) }).run()).toEqual({});
    await expect(play({ patch: () => Promise.reject(kubeError('kube-invalid')) }).run()).rejects.toThrow(
      'cannot be rewritten',
    );
    let version = 5;
    const moving = play({
      object: workload('Deployment'),
      resourceVersion: () => String(version),
      async patch() {
        version++;
        throw kubeError('kube-invalid');
      },
    });
    expect(await moving.run()).toEqual({ requeueAfterMs: 50 });
  });
});
