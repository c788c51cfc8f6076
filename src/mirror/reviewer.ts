import { type Logger, mapConcurrent } from '../base/index.ts';
import { pullSecretsOf } from '../inventory/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { AdmissionDecision, AdmissionRequest, ReviewContext, Reviewer } from '../webhook/index.ts';
import type { PullSecretProblem } from './copy-pull-secret.ts';
import { type CopyNames, desiredCopies, renderCopy } from './desired-copies.ts';
import { type EnsureCopyOptions, ensureCopy } from './ensure-copy.ts';
import type { MirrorMetrics } from './metrics.ts';
import { type Replaced, rewritePatch } from './rewrite.ts';
import type { MirrorSettings } from './settings.ts';
import { changedImages, isImmutable, isRewritable, type PodSpecField, podSpecFieldOf } from './workload.ts';

export interface ReviewerOptions extends Omit<EnsureCopyOptions, 'settings'> {
  readonly settings: MirrorSettings;
  readonly names: CopyNames;
  readonly namespaceLabels: (namespace: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** Denies what cannot be rewritten, instead of admitting it unchanged. */
  readonly isStrict: boolean;
  /** Treats every review as sent by the API server, also without a client certificate. */
  readonly trustsReviews: boolean;
  readonly pullSecretProblem?: PullSecretProblem | undefined;
  readonly metrics: MirrorMetrics;
  readonly log: Logger;
}

const copiesAtOnce = 8;

/** Replaces the images of a workload by their copies at admission. One reviewer per path. */
export function createMirrorReviewer(path: string, options: ReviewerOptions): Reviewer {
  return { path, review: (request, context) => review(request, options, context) };
}

async function review(
  request: AdmissionRequest,
  options: ReviewerOptions,
  context: Pick<ReviewContext, 'signal' | 'authenticated'>,
): Promise<AdmissionDecision> {
  const { settings, names, metrics, log } = options;
  const pod = podToRewrite(request, settings);
  if (!pod) return {};
  const wanted = desiredCopies(pod.images, names);
  if (wanted.every(({ kind }) => kind === 'is-copy')) return {};
  const { signal } = context;
  if (!settings.selectsNamespace(await options.namespaceLabels(request.namespace, signal))) return {};
  const pullSecrets = pullSecretsOf(pod, request.namespace);
  const mayRequest = context.authenticated || options.trustsReviews;
  const problem = await options.pullSecretProblem?.(request.namespace, signal);
  let isDenied = false;
  const outcomes = await mapConcurrent(wanted, copiesAtOnce, async (one): Promise<Replaced | string | undefined> => {
    if (one.kind === 'is-copy') return undefined;
    if (one.kind === 'refused') return `${one.field.image}: ${one.reason}`;
    const { source, copy, field } = one;
    const obtained = await ensureCopy({ source, copy, pullSecrets }, options, {
      isDryRun: request.dryRun,
      mayRequest,
      signal,
    });
    if (obtained.ok && problem !== undefined) {
      isDenied = true;
      return `${field.image}: ${problem}`;
    }
    // A dry run copies nothing, so an image that is not copied yet is no reason to deny it.
    if (!obtained.ok) isDenied ||= !request.dryRun || !obtained.isUnderWay;
    if (!obtained.ok) return `${field.image}: ${obtained.reason}`;
    return { field, image: renderCopy(one, obtained.digest, settings.pin) };
  });
  const replaced = outcomes.filter((outcome) => typeof outcome === 'object');
  const kept = outcomes.filter((outcome) => typeof outcome === 'string');
  const object = request.object as unknown as KubeObject;
  if (!request.dryRun) {
    metrics.reviewed(replaced.length, kept.length);
    for (const { field, image } of replaced)
      log.info('image replaced by its copy', {
        namespace: request.namespace,
        kind: object.kind,
        from: field.image,
        to: image,
      });
  }
  if (options.isStrict && isDenied)
    return { denied: `images could not be replaced by their copies: ${kept.join('; ')}` };
  return {
    patch: rewritePatch({ object, pod, replaced, pullSecret: settings.pullSecret }),
    warnings: kept.map((reason) => `not replaced by a copy: ${reason}`),
  };
}

/** The pod of a request to rewrite, with the containers that may be rewritten. */
function podToRewrite(request: AdmissionRequest, settings: MirrorSettings): PodSpecField | undefined {
  const { operation, subResource, namespace } = request;
  const object = request.object as KubeObject | undefined;
  if (!object?.metadata || object.metadata.deletionTimestamp !== undefined || namespace === '') return undefined;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return undefined;
  // Ephemeral containers are added through this subresource only.
  const isDebugging = settings.rewrite === 'pods' && object.kind === 'Pod' && subResource === 'ephemeralcontainers';
  if (subResource !== '' && !isDebugging) return undefined;
  if (settings.exemptNamespaces.includes(namespace) || !isRewritable(object, settings.rewrite)) return undefined;
  const pod = podSpecFieldOf(object);
  if (!pod || operation === 'CREATE' || !isImmutable(object.kind)) return pod;
  // A Job's images are immutable, and a new label on a pod must not restart its containers.
  const before = request.oldObject as KubeObject | undefined;
  return { ...pod, images: changedImages(pod, before?.metadata ? podSpecFieldOf(before) : undefined) };
}
