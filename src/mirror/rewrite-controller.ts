import { type Clock, type Logger, SupercargoError } from '../base/index.ts';
import type { Reconcile } from '../controller/index.ts';
import { pullSecretsOf } from '../inventory/index.ts';
import { type EventRecorder, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';
import type { PullSecretProblem } from './copy-pull-secret.ts';
import { type CopyNames, desiredCopies, renderCopy } from './desired-copies.ts';
import { type EnsureCopyOptions, ensureCopy } from './ensure-copy.ts';
import type { MirrorMetrics } from './metrics.ts';
import type { Replaced } from './rewrite.ts';
import type { MirrorSettings } from './settings.ts';
import { isImmutable, isRewritable, isTrackedByGitOps, type PodSpecField, podSpecFieldOf } from './workload.ts';

export interface RewriteControllerOptions extends Omit<EnsureCopyOptions, 'settings'> {
  readonly client: Pick<KubeClient, 'get' | 'patch'>;
  readonly settings: MirrorSettings;
  readonly names: CopyNames;
  readonly typeOf: (kind: string) => ResourceType | undefined;
  readonly namespaceLabels: (namespace: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  readonly pullSecretProblem?: PullSecretProblem | undefined;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: MirrorMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `Deployment/default/web`. */
export const workloadKey = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;

/**
 * Retry interval when no copy is in progress that would requeue the workload: the registry is down, or the copy failed.
 */
const retryAfterMs = 10_000;
/** Delay after a conflict: short, but long enough for the other writer to finish. */
const changedMs = 50;
/** Timeout of a registry check in the background. */
const waitMs = 10_000;

/**
 * Reconciles one existing workload: requests the copies of its images, and lets admission rewrite it once they can be
 * pulled. So nothing is lost when the webhook was down or a copy took long.
 */
export function createRewriteController(options: RewriteControllerOptions): Reconcile {
  const { client, settings } = options;
  return async (key, signal) => {
    const [kind = '', namespace = '', name = ''] = key.split('/');
    const type = options.typeOf(kind);
    if (!type || settings.exemptNamespaces.includes(namespace)) return {};
    if (!settings.selectsNamespace(await options.namespaceLabels(namespace, signal))) return {};
    const object = await find(client, type, { namespace, name }, signal);
    const pod = object && object.metadata.deletionTimestamp === undefined ? podSpecFieldOf(object) : undefined;
    if (!object || !pod || controllerOf(object) !== undefined) return {};
    const { replaced, willBeRequeued } = await obtainAll(pod, namespace, options, signal);
    // In `pods` mode the owners of pods are not rewritten, but their images are copied in advance.
    const isSkipped =
      isImmutable(kind) ||
      !isRewritable(object, settings.rewrite) ||
      (settings.skipsGitOps && isTrackedByGitOps(object));
    if (replaced.length > 0 && !isSkipped && (await options.pullSecretProblem?.(namespace, signal)) !== undefined)
      return { requeueAfterMs: retryAfterMs };
    const isDone =
      replaced.length === 0 || isSkipped || (await touch({ key, type, object, replaced }, options, signal));
    if (!isDone) return { requeueAfterMs: changedMs };
    return willBeRequeued ? {} : { requeueAfterMs: retryAfterMs };
  };
}

async function obtainAll(pod: PodSpecField, namespace: string, options: RewriteControllerOptions, signal: AbortSignal) {
  const { settings, names } = options;
  const pullSecrets = pullSecretsOf(pod, namespace);
  const replaced: Replaced[] = [];
  let willBeRequeued = true;
  for (const one of desiredCopies(pod.images, names)) {
    if (one.kind !== 'copy') continue;
    const { source, copy, field } = one;
    const found = await ensureCopy(
      { source, copy, pullSecrets },
      { ...options, settings: { ...settings, mode: 'async', waitMs } },
      { isDryRun: false, mayRequest: true, signal },
    );
    if (found.ok) replaced.push({ field, image: renderCopy(one, found.digest, settings.pin) });
    else willBeRequeued &&= found.isUnderWay;
  }
  return { replaced, willBeRequeued };
}

interface TouchTask {
  readonly key: string;
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly replaced: readonly Replaced[];
}

/**
 * Lets the admission webhook rewrite the workload: an empty patch changes nothing, owns no field and still runs
 * admission. If we patched the images ourselves, we would manage these fields, and every later server-side apply of
 * their owner (helm, kubectl) would conflict. False when the workload changed since it was read and must be reconciled
 * again.
 */
async function touch(
  { key, type, object, replaced }: TouchTask,
  { client, metrics, events, log }: RewriteControllerOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', namespace, uid, resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion: resourceVersion ?? '' } };
  let touched: KubeObject;
  try {
    touched = await client.patch<KubeObject>(
      type,
      { namespace, name },
      { type: 'merge', body },
      { fieldManager: 'supercargo-mirror', signal },
    );
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return true;
    if (isKubeError(thrown, 'kube-conflict')) return false;
    metrics.unrewritten();
    throw new SupercargoError('mirror-refused', `${key} cannot be rewritten`, { retry: 'backoff', cause: thrown });
  }
  const now = new Map(podSpecFieldOf(touched)?.images.map((field) => [field.name, field.image]));
  const done = replaced.filter(({ field }) => now.get(field.name) !== field.image);
  if (done.length > 0) {
    metrics.rewritten();
    const list = done.map(({ field }) => `${field.image} → ${now.get(field.name)}`).join(', ');
    events.record(
      { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid },
      { type: 'Normal', reason: 'ImagesReplaced', message: `replaced by their copies: ${list}` },
    );
    log.info('workload rewritten', { kind: object.kind, namespace, name, images: list });
  }
  if (done.length === replaced.length) return true;
  metrics.unrewritten();
  throw new SupercargoError(
    'mirror-unrewritten',
    `${key} was not rewritten: the API server did not call the mutating webhook, or it could not see the copy`,
    { retry: 'backoff' },
  );
}

async function find(
  client: Pick<KubeClient, 'get'>,
  type: ResourceType,
  key: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.get<KubeObject>(type, key, { signal });
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}
