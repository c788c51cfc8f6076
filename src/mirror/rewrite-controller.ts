import { type Clock, type Logger, SupercargoError } from '../base/index.ts';
import type { Reconcile } from '../controller/index.ts';
import { type EventRecorder, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { controllerOf, type KubeObject } from '../object/index.ts';
import type { MirrorMetrics } from './metrics.ts';
import { type ObtainOptions, obtainCopy } from './obtain.ts';
import { pullSecretsOf } from './pull-secrets.ts';
import { type Replaced, rewritePatch } from './rewrite.ts';
import type { MirrorSettings } from './settings.ts';
import { type CopyNames, renderCopy, wantedCopies } from './wanted.ts';
import { isImmutable, isRewritable, isTrackedByGitOps, type PodPart, podPartOf } from './workload.ts';

export interface RewriteControllerOptions extends Omit<ObtainOptions, 'settings'> {
  readonly client: Pick<KubeClient, 'get' | 'patch'>;
  readonly settings: MirrorSettings;
  readonly names: CopyNames;
  readonly typeOf: (kind: string) => ResourceType | undefined;
  readonly namespaceLabels: (namespace: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly metrics: MirrorMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `Deployment/default/web`. */
export const workloadKey = (kind: string, namespace: string, name: string) => `${kind}/${namespace}/${name}`;

/** Where no copy is under way nobody calls back: the registry is down, or the copy failed. */
const lookAgainMs = 10_000;
/** When it changed between reading and writing: soon, but not while whoever changes it is still at it. */
const changedMs = 50;
/** How long a look at the registry may take when nobody waits for it. */
const waitMs = 10_000;

/**
 * Looks at one workload that is there already: asks for the copies of its images, and puts them in place once they can
 * be pulled. So a webhook that was down, or a copy that took long, loses nothing.
 */
export function createRewriteController(options: RewriteControllerOptions): Reconcile {
  const { client, settings } = options;
  return async (key, signal) => {
    const [kind = '', namespace = '', name = ''] = key.split('/');
    const type = options.typeOf(kind);
    if (!type || settings.exemptNamespaces.includes(namespace)) return {};
    if (!settings.selectsNamespace(await options.namespaceLabels(namespace, signal))) return {};
    const object = await find(client, type, { namespace, name }, signal);
    const pod = object && object.metadata.deletionTimestamp === undefined ? podPartOf(object) : undefined;
    if (!object || !pod || controllerOf(object) !== undefined) return {};
    const { replaced, comesBack } = await obtainAll(pod, namespace, options, signal);
    // Where pods are rewritten, what makes them is not; its images are copied before it makes any.
    const isLeft =
      isImmutable(kind) ||
      !isRewritable(object, settings.rewrite) ||
      (settings.skipsGitOps && isTrackedByGitOps(object));
    const isDone =
      replaced.length === 0 || isLeft || (await rewrite({ key, type, object, pod, replaced }, options, signal));
    if (!isDone) return { requeueAfterMs: changedMs };
    return comesBack ? {} : { requeueAfterMs: lookAgainMs };
  };
}

async function obtainAll(pod: PodPart, namespace: string, options: RewriteControllerOptions, signal: AbortSignal) {
  const { settings, names } = options;
  const pullSecrets = pullSecretsOf(pod, namespace);
  const replaced: Replaced[] = [];
  let comesBack = true;
  for (const one of wantedCopies(pod.slots, names)) {
    if (one.kind !== 'copy') continue;
    const { source, copy, slot } = one;
    const found = await obtainCopy(
      { source, copy, pullSecrets },
      { ...options, settings: { ...settings, mode: 'async', waitMs } },
      { isDryRun: false, signal },
    );
    if (found.ok) replaced.push({ slot, image: renderCopy(one, found.digest, settings.pin) });
    else comesBack &&= found.isUnderWay;
  }
  return { replaced, comesBack };
}

interface Rewriting {
  readonly key: string;
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly pod: PodPart;
  readonly replaced: readonly Replaced[];
}

/** False when the workload is another by now, and must be looked at anew. */
async function rewrite(
  { key, type, object, pod, replaced }: Rewriting,
  { client, settings, metrics, events, log }: RewriteControllerOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', namespace, uid, resourceVersion } = object.metadata;
  const body = rewritePatch({ object, pod, replaced, pullSecret: settings.pullSecret, isGuarded: true });
  try {
    await client.patch(
      type,
      { namespace, name },
      { type: 'json', body },
      { fieldManager: 'supercargo-mirror', signal },
    );
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return true;
    if (!isKubeError(thrown, 'kube-invalid') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
    const now = await find(client, type, { namespace: namespace ?? '', name }, signal);
    if (now?.metadata.resourceVersion !== resourceVersion) return false;
    throw new SupercargoError('mirror-refused', `${key} cannot be rewritten`, { retry: 'backoff', cause: thrown });
  }
  metrics.rewritten();
  const list = replaced.map(({ slot, image }) => `${slot.image} → ${image}`).join(', ');
  events.record(
    { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid },
    { type: 'Normal', reason: 'ImagesReplaced', message: `replaced by their copies: ${list}` },
  );
  log.info('workload rewritten', { kind: object.kind, namespace, name, images: list });
  return true;
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
