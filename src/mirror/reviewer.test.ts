import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { applyJsonPatch, type KubeObject } from '../object/index.ts';
import type { AdmissionRequest } from '../webhook/index.ts';
import { createCopyNames } from './desired-copies.ts';
import type { CopyState, MirrorRequest } from './mirrored-image-store.ts';
import { createMirrorReviewer, type ReviewerOptions } from './reviewer.ts';
import { log, metrics, settings, signal, target } from './testing/fakes.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const copy = 'backup.example/copies/docker.io/library/busybox:1';
const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  default: { 'image-clone-controller': 'enabled' },
  'kube-system': { 'image-clone-controller': 'enabled' },
  quiet: {},
};

interface Scene extends Partial<Pick<ReviewerOptions, 'isStrict' | 'trustsReviews'>> {
  readonly authenticated?: boolean;
  readonly problem?: string;
  readonly request?: Partial<AdmissionRequest>;
  readonly kind?: string;
  readonly images?: readonly string[];
  readonly metadata?: object;
  readonly settings?: Partial<ReviewerOptions['settings']>;
  readonly state?: CopyState;
}

const objectOf = (kind: string, images: readonly string[], metadata: object = {}): KubeObject => {
  const spec = { containers: images.map((image, i) => ({ name: `c${i}`, image })) };
  return {
    apiVersion: 'x/v1',
    kind,
    metadata: { name: 'web', ...metadata },
    spec: kind === 'Pod' ? spec : { template: { spec } },
  };
};

async function review({ request, kind = 'Deployment', images = ['busybox:1'], metadata, ...scene }: Scene) {
  const requested: MirrorRequest[] = [];
  const state = scene.state ?? { phase: 'Copied', digest, attempts: 1 };
  const object = objectOf(kind, images, metadata);
  const reviewer = createMirrorReviewer('mirror', {
    settings: { ...settings, ...scene.settings },
    names: createCopyNames({ target, mapping: 'path' }),
    namespaceLabels: async (name) => labels[name] ?? {},
    isStrict: scene.isStrict ?? false,
    trustsReviews: scene.trustsReviews ?? false,
    store: {
      stateOf: () => state,
      conflictingSource: () => undefined,
      async request(mirrorRequest) {
        requested.push(mirrorRequest);
        return false;
      },
      waitFor: async () => state,
    },
    pullSecretProblem: async () => scene.problem,
    presence: { exists: async () => true },
    metrics,
    clock: createFakeClock(),
    log,
  });
  const decision = await reviewer.review(
    {
      uid: '1',
      kind: { group: 'apps', version: 'v1', kind },
      resource: { group: 'apps', version: 'v1', resource: 'x' },
      subResource: '',
      name: 'web',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: {},
      object: object as never,
      oldObject: undefined,
      dryRun: false,
      ...request,
    },
    { route: '', authenticated: scene.authenticated ?? true, bytes: 0, signal },
  );
  const result = applyJsonPatch(request?.object ?? object, decision.patch ?? []) as unknown as KubeObject;
  const spec = result['spec'] as {
    readonly containers?: readonly { readonly image: string }[];
    readonly template?: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
  const containers = spec.template?.spec.containers ?? spec.containers ?? [];
  return { decision, requested, images: containers.map(({ image }) => image) };
}

describe('the review of a workload', () => {
  it('replaces images by copies, also only some of them', async () => {
    expect((await review({})).images).toEqual([copy]);
    const mixed = await review({ images: ['backup.example/copies/x:1', 'busybox:1', 'No Image'] });
    expect(mixed.images).toEqual(['backup.example/copies/x:1', copy, 'No Image']);
    expect(mixed.decision.warnings).toEqual([expect.stringMatching(/^not replaced by a copy: No Image: /)]);
  });

  it.each<[string, Scene]>([
    ['is to be deleted', { request: { operation: 'DELETE' } }],
    ['is about a subresource', { request: { subResource: 'scale', operation: 'UPDATE' } }],
    ['is in kube-system', { request: { namespace: 'kube-system' } }],
    ['is in a namespace without the label', { request: { namespace: 'quiet' } }],
    ['is in no namespace', { request: { namespace: '' } }],
    ['has nothing but copies', { images: ['backup.example/copies/x:1'] }],
    ['is being deleted', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['is a Pod, and workloads are rewritten', { kind: 'Pod' }],
    ['is a Deployment, and pods are rewritten', { settings: { rewrite: 'pods' } }],
    [
      'has a controller',
      { metadata: { ownerReferences: [{ apiVersion: 'x/v1', kind: 'X', name: 'x', uid: '1', controller: true }] } },
    ],
    ['has no object', { request: { object: undefined } }],
  ])('changes nothing of what %s', async (_, scene) => {
    const { decision, requested } = await review(scene);
    expect(decision.patch ?? []).toEqual([]);
    expect(decision.denied).toBeUndefined();
    expect(requested).toEqual([]);
  });

  it('does not change the images of an existing Job, nor of existing containers of a pod', async () => {
    const request = { operation: 'UPDATE' as const };
    const job = objectOf('Job', ['busybox:1']);
    expect((await review({ kind: 'Job', request: { ...request, oldObject: job as never } })).images).toEqual([
      'busybox:1',
    ]);
    expect((await review({ kind: 'Job' })).images).toEqual([copy]);
    const pod = { kind: 'Pod', settings: { rewrite: 'pods' as const }, images: ['busybox:1', 'busybox:1'] };
    const oldObject = objectOf('Pod', ['busybox:1']) as never;
    expect((await review({ ...pod, request: { ...request, oldObject } })).images).toEqual(['busybox:1', copy]);
    const debugging = { ...request, subResource: 'ephemeralcontainers', oldObject };
    expect((await review({ ...pod, request: debugging })).images).toEqual(['busybox:1', copy]);
    expect(
      (await review({ request: { ...request, oldObject: objectOf('Deployment', ['busybox:1']) as never } })).images,
    ).toEqual([copy]);
  });

  it('admits an image without a copy with a warning, and denies it in strict mode', async () => {
    const state: CopyState = { phase: 'Failed', message: 'it is not there', attempts: 1 };
    const { decision, images } = await review({ state });
    expect(images).toEqual(['busybox:1']);
    expect(decision).toMatchObject({ warnings: ['not replaced by a copy: busybox:1: it is not there'] });
    expect((await review({ state, isStrict: true })).decision.denied).toBe(
      'images could not be replaced by their copies: busybox:1: it is not there',
    );
    // The API server rejects invalid images.
    expect((await review({ isStrict: true, images: ['No Image'] })).decision.denied).toBeUndefined();
  });

  it('requests nothing when it is not authenticated, and uses existing copies', async () => {
    const state: CopyState = { phase: 'Unknown', attempts: 0 };
    const forged = await review({ state, authenticated: false });
    expect(forged.requested).toEqual([]);
    expect(forged.decision.warnings).toEqual([expect.stringContaining('copied in the background')]);
    expect((await review({ authenticated: false })).images).toEqual([copy]);
    expect((await review({ state, authenticated: false, isStrict: true })).decision.denied).toBeDefined();
    expect((await review({ state, authenticated: false, trustsReviews: true })).requested).toHaveLength(1);
  });

  it('does not deny a dry run of an image that is not copied yet, but one that cannot be copied', async () => {
    const request = { dryRun: true };
    const strict = { isStrict: true, request };
    expect((await review({ ...strict, state: { phase: 'Unknown', attempts: 0 } })).decision.denied).toBeUndefined();
    const failed: CopyState = { phase: 'Failed', message: 'it is not there', attempts: 1 };
    expect((await review({ ...strict, state: failed })).decision.denied).toContain('it is not there');
  });

  it('does not rewrite where the namespace lacks the pull secret', async () => {
    const { images, decision } = await review({ problem: 'no Secret backup' });
    expect(images).toEqual(['busybox:1']);
    expect(decision.warnings).toEqual(['not replaced by a copy: busybox:1: no Secret backup']);
  });

  it('requests nothing on a dry run', async () => {
    const { requested, images } = await review({ state: { phase: 'Unknown', attempts: 0 }, request: { dryRun: true } });
    expect(requested).toEqual([]);
    expect(images).toEqual(['busybox:1']);
    expect((await review({ request: { dryRun: true } })).images).toEqual([copy]);
  });
});
