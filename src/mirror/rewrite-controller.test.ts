import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { KubeObject } from '../object/index.ts';
import { createCopyNames } from './desired-copies.ts';
import type { CopyState, MirrorRequest } from './mirrored-image-store.ts';
import { createRewriteController, workloadKey } from './rewrite-controller.ts';
import type { MirrorSettings } from './settings.ts';
import { fakeObjects, kubeError, log, metrics, settings, signal, target } from './testing/fakes.ts';

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
  readonly exists?: () => Promise<boolean>;
  readonly isAccepted?: boolean;
  readonly settings?: Partial<MirrorSettings>;
  readonly namespace?: string;
  readonly patch?: () => Promise<never>;
  /** What admission makes of a touched object. */
  readonly admit?: (object: KubeObject) => KubeObject;
}

function play({ object = workload('Deployment'), state = copied, namespace = 'default', ...scene }: Scene) {
  const { writes, client } = fakeObjects([object]);
  const requested: MirrorRequest[] = [];
  const recorded: string[] = [];
  const bodies: unknown[] = [];
  const counts = { unrewritten: 0 };
  let reads = 0;
  const reconcile = createRewriteController({
    client: {
      async get(...args: Parameters<typeof client.get>) {
        reads++;
        return client.get(...args);
      },
      patch:
        scene.patch ??
        (async (type, key, patch) => {
          bodies.push(patch.body);
          return (scene.admit ?? admitted)(await client.patch(type, key, patch)) as never;
        }),
    },
    settings: { ...settings, ...scene.settings },
    names: createCopyNames({ target, mapping: 'path' }),
    typeOf: (kind) => ({ group: 'apps', version: 'v1', resource: 'x', kind, namespaced: true }),
    namespaceLabels: async (name) => (name === 'quiet' ? {} : { 'image-clone-controller': 'enabled' }),
    store: {
      stateOf: () => state,
      conflictingSource: () => undefined,
      async request(mirrorRequest) {
        requested.push(mirrorRequest);
        return scene.isAccepted ?? true;
      },
      waitFor: () => Promise.reject(new Error('not used by this test')),
    },
    presence: { exists: scene.exists ?? (async () => true) },
    events: { record: (_, { message }) => void recorded.push(message) },
    metrics: { ...metrics, unrewritten: () => void counts.unrewritten++ },
    clock: createFakeClock(),
    log,
  });
  return {
    writes,
    bodies,
    counts,
    requested,
    recorded,
    reads: () => reads,
    run: () => reconcile(workloadKey(object.kind, namespace, 'web'), signal),
  };
}

const withImage = (object: KubeObject, image: string): KubeObject => ({
  ...object,
  spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
});
const admitted = (object: KubeObject) => withImage(object, 'backup.example/copies/docker.io/library/busybox:1');

describe('an existing workload', () => {
  it('is rewritten when its copies can be pulled, and an event is recorded', async () => {
    const scene = play({});
    expect(await scene.run()).toEqual({});
    // Only the precondition: we would own any field that we set, and the next apply of its owner would conflict.
    expect(scene.bodies).toEqual([{ metadata: { resourceVersion: '5' } }]);
    expect(scene.recorded).toEqual([
      'replaced by their copies: busybox:1 → backup.example/copies/docker.io/library/busybox:1',
    ]);
    expect(scene.requested).toEqual([]);
  });

  it('requests its copies, and is requeued only when no copy in progress will requeue it', async () => {
    const underWay = play({ state: { phase: 'Unknown', attempts: 0 } });
    expect(await underWay.run()).toEqual({});
    expect(underWay.requested).toHaveLength(1);
    const failed = play({ state: { phase: 'Failed', attempts: 1 }, isAccepted: false });
    expect(await failed.run()).toEqual({ requeueAfterMs: 10_000 });
    const down = play({ exists: () => Promise.reject(new Error('down')) });
    expect(await down.run()).toEqual({ requeueAfterMs: 10_000 });
    expect([...underWay.writes, ...failed.writes, ...down.writes, ...down.requested]).toEqual([]);
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
    expect(lost.requested).toHaveLength(1);
    const { run, writes } = play(scene);
    await run();
    expect(writes).toEqual([]);
  });

  it('is not even read in a namespace that is not selected', async () => {
    for (const namespace of ['quiet', 'kube-system', 'supercargo']) {
      const scene = play({ namespace });
      expect(await scene.run()).toEqual({});
      expect(scene.reads()).toBe(0);
    }
  });

  it('is reconciled again when it changed meanwhile, and fails when the patch is refused', async () => {
    const owner = { apiVersion: 'x/v1', kind: 'X', name: 'x', uid: '1', controller: true };
    expect(await play({ object: workload('Deployment', { ownerReferences: [owner] }) }).run()).toEqual({});
    const refused = play({ patch: () => Promise.reject(kubeError('kube-invalid')) });
    await expect(refused.run()).rejects.toThrow('cannot be rewritten');
    expect(refused.counts.unrewritten).toBe(1);
    expect(await play({ patch: () => Promise.reject(kubeError('kube-conflict')) }).run()).toEqual({
      requeueAfterMs: 50,
    });
    expect(await play({ patch: () => Promise.reject(kubeError('kube-not-found')) }).run()).toEqual({});
  });

  it('is retried with back-off, and counted, when admission did not rewrite it', async () => {
    const scene = play({ admit: (object) => object });
    await expect(scene.run()).rejects.toMatchObject({ code: 'mirror-unrewritten', retry: 'backoff' });
    expect(scene.counts.unrewritten).toBe(1);
    expect(scene.recorded).toEqual([]);
  });
});
