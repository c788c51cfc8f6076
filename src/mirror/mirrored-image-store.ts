import { type MirroredImage, mirroredImageName, mirroredImages, ownerLabel, type PullSecretRef } from '../api/index.ts';
import { type Clock, SupercargoError } from '../base/index.ts';
import { type CopyName, type ImageReference, renderReference } from '../image/index.ts';
import { type Informer, isKubeError, type KubeClient } from '../kube/index.ts';
import { renderApiVersion } from '../object/index.ts';
import { hasConflictingSource, imagesOfNamespace, imagesWithCopyIn } from './mirrored-images.ts';

/** The state of a copy, as stored in the cluster. */
export interface CopyState {
  readonly phase: 'Unknown' | 'Pending' | 'Copying' | 'Copied' | 'Failed';
  readonly digest?: string | undefined;
  readonly bytesTotal?: number | undefined;
  readonly message?: string | undefined;
  /** Distinguishes one attempt from the next. */
  readonly attempts: number;
}

export interface MirrorRequest {
  readonly source: ImageReference;
  readonly copy: CopyName;
  readonly pullSecrets: readonly PullSecretRef[];
}

/**
 * The durable list of requested copies, stored in the cluster as MirroredImage objects. Every replica requests copies,
 * the leader makes them, and all replicas watch the result.
 */
export interface MirroredImageStore {
  stateOf(request: MirrorRequest): CopyState;
  /** Another source whose copies are in the repository that this copy would go to. */
  conflictingSource(request: MirrorRequest): string | undefined;
  /**
   * Requests a copy: a new one, one that failed, or one that is recorded as copied but missing. Adds the credentials of
   * this request to the recorded ones. False when it was tried a moment ago and nothing has changed.
   */
  request(request: MirrorRequest, signal: AbortSignal): Promise<boolean>;
  /** Resolves with the first state that `isEnough`, or with the last one seen when the signal aborts. */
  waitFor(request: MirrorRequest, isEnough: (state: CopyState) => boolean, signal: AbortSignal): Promise<CopyState>;
}

export interface MirroredImageStoreOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly informer: Informer<MirroredImage>;
  readonly installation: string;
  /** Maximum number of images recorded for the workloads of one namespace. */
  readonly maxPerNamespace: number;
  readonly onRefused: () => void;
  readonly clock: Clock;
}

/**
 * Minimum interval between requests for the same copy, so that two replicas that disagree about it do not cause a loop.
 */
const requestAgainMs = { Copied: 2_000, Failed: 5_000 } as const;
/** A created object counts as unseen for at most this long. */
const watchLagMs = 60_000;
/** More credentials are not tried. The limit per namespace keeps one namespace from displacing those of others. */
const maxPullSecrets = { ofNamespace: 16, inAll: 256 };

export function createMirroredImageStore(options: MirroredImageStoreOptions): MirroredImageStore {
  const { client, informer, clock, maxPerNamespace, onRefused } = options;
  const waiting = new Map<string, Set<() => void>>();
  const wake = ({ key }: { readonly key: string }) => {
    for (const check of [...(waiting.get(key) ?? [])]) check();
  };
  informer.addHandler({ onAdd: wake, onUpdate: wake, onDelete: wake });
  const stateOf = (request: MirrorRequest) => stateOfObject(informer.get(nameOf(request)));
  /** Created by this process and not seen by the watch yet. */
  const created = new Map<string, { readonly namespace: string; readonly atMs: number }>();
  const admit = (request: MirrorRequest) => {
    const namespace = request.pullSecrets[0]?.namespace;
    if (namespace === undefined) return;
    for (const [name, { atMs }] of created)
      if (informer.get(name) || clock.monotonicMs() - atMs > watchLagMs) created.delete(name);
    const unseen = [...created].filter(([name, one]) => one.namespace === namespace && name !== nameOf(request)).length;
    const count = imagesOfNamespace(informer, namespace).length + unseen;
    if (count < maxPerNamespace) {
      created.set(nameOf(request), { namespace, atMs: clock.monotonicMs() });
      return;
    }
    onRefused();
    throw new SupercargoError(
      'mirror-namespace-full',
      `namespace ${namespace} has ${count} images recorded, as many as mirror.maxImagesPerNamespace allows`,
    );
  };
  return {
    stateOf,
    conflictingSource({ source, copy }) {
      const names = { source: renderReference(source), copy: renderReference(copy) };
      return imagesWithCopyIn(informer, copy).find((other) => hasConflictingSource(other, names))?.spec.source;
    },
    async request(request, signal) {
      const object = informer.get(nameOf(request));
      if (!object) {
        admit(request);
        return create(client, mirroredImageOf(request, options), signal);
      }
      const isExtended = await addPullSecrets(client, object, request, signal);
      const phase = object.status?.phase;
      if (phase !== 'Copied' && phase !== 'Failed') return true;
      // More credentials create a new generation, which is tried at once.
      if (phase === 'Failed' && isExtended) return true;
      const lastMs = Date.parse(object.status?.checkedAt ?? object.status?.copiedAt ?? '');
      if (clock.now() - lastMs < requestAgainMs[phase]) return false;
      return reopen(client, object, signal);
    },
    waitFor(request, isEnough, signal) {
      const name = nameOf(request);
      return new Promise((resolve) => {
        const checks = waiting.get(name) ?? new Set();
        waiting.set(name, checks);
        const end = () => {
          checks.delete(check);
          if (checks.size === 0 && waiting.get(name) === checks) waiting.delete(name);
          signal.removeEventListener('abort', end);
          resolve(stateOf(request));
        };
        const check = () => isEnough(stateOf(request)) && end();
        checks.add(check);
        signal.addEventListener('abort', end, { once: true });
        if (signal.aborted) end();
        else check();
      });
    },
  };
}

/** An existing object, also one created at the same moment, satisfies the request. */
async function create(
  client: MirroredImageStoreOptions['client'],
  object: MirroredImage,
  signal: AbortSignal,
): Promise<true> {
  try {
    await client.create(mirroredImages, object, { signal });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
  }
  return true;
}

async function addPullSecrets(
  client: MirroredImageStoreOptions['client'],
  { metadata, spec }: MirroredImage,
  request: MirrorRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const known = spec.pullSecrets ?? [];
  const has = (ref: PullSecretRef) =>
    known.some(
      ({ namespace, name, serviceAccount }) =>
        namespace === ref.namespace && name === ref.name && serviceAccount === ref.serviceAccount,
    );
  const fresh = new Set(request.pullSecrets.filter((ref) => !has(ref)));
  const added = withinLimit([...known, ...fresh]).filter((ref) => fresh.has(ref));
  if (added.length === 0) return false;
  const body = spec.pullSecrets
    ? added.map((value) => ({ op: 'add', path: '/spec/pullSecrets/-', value }))
    : [{ op: 'add', path: '/spec/pullSecrets', value: added }];
  await client
    .patch(mirroredImages, { name: metadata.name! }, { type: 'json', body }, { signal })
    .catch(unless('kube-not-found'));
  return true;
}

function withinLimit(refs: readonly PullSecretRef[]): readonly PullSecretRef[] {
  const counts = new Map<string, number>();
  const kept = refs.filter(({ namespace }) => {
    const count = (counts.get(namespace) ?? 0) + 1;
    counts.set(namespace, count);
    return count <= maxPullSecrets.ofNamespace;
  });
  return kept.slice(0, maxPullSecrets.inAll);
}

async function reopen(
  client: MirroredImageStoreOptions['client'],
  object: MirroredImage,
  signal: AbortSignal,
): Promise<true> {
  const { name = '', resourceVersion } = object.metadata;
  const message = object.status?.phase === 'Copied' ? 'the copy is no longer in the registry' : 'requested again';
  const body = { metadata: { resourceVersion }, status: { phase: 'Pending', message } };
  await client
    .patch(mirroredImages, { name }, { type: 'merge', body }, { subresource: 'status', signal })
    // Another replica reopened it first, or the object was deleted.
    .catch(unless('kube-conflict', 'kube-not-found'));
  return true;
}

const unless =
  (...codes: readonly Parameters<typeof isKubeError>[1][]) =>
  (thrown: unknown) => {
    if (!codes.some((code) => isKubeError(thrown, code))) throw thrown;
  };

const nameOf = ({ source, copy }: Pick<MirrorRequest, 'source' | 'copy'>) =>
  mirroredImageName(renderReference(source), renderReference(copy));

function stateOfObject(object: MirroredImage | undefined): CopyState {
  if (!object) return { phase: 'Unknown', attempts: 0 };
  const { phase = 'Pending', digest, bytesTotal, message, attempts = 0 } = object.status ?? {};
  return { phase, digest, bytesTotal, message, attempts };
}

function mirroredImageOf(
  request: MirrorRequest,
  { installation }: Pick<MirroredImageStoreOptions, 'installation'>,
): MirroredImage {
  const { source, copy, pullSecrets } = request;
  return {
    apiVersion: renderApiVersion(mirroredImages),
    kind: mirroredImages.kind,
    metadata: { name: nameOf(request), labels: { [ownerLabel]: installation } },
    spec: {
      source: renderReference(source),
      copy: renderReference(copy),
      pullSecrets: withinLimit(pullSecrets),
    },
  };
}
