import { type MirroredImage, mirroredImages, ownerLabel } from '../../api/index.ts';
import { createBusyLoopBackoff, systemClock, UsageError, whenAborted } from '../../base/index.ts';
import { createController, informerSource, type Runnable, startOrder } from '../../controller/index.ts';
import { type Digest, parseReference, type RegistryTarget } from '../../image/index.ts';
import { workloadTypes } from '../../inventory/index.ts';
import {
  createCopyController,
  createCopyImage,
  createCopyNames,
  createCopyPresence,
  createFairSlots,
  createMirroredImageStore,
  createMirrorMetrics,
  createMirrorReviewer,
  createNameClaims,
  createPullSecretProblem,
  createRewriteController,
  type HeadCopy,
  type MirrorSettings,
  mirroredImageInformer,
  mirrorPaths,
  mirrorRegistration,
  namespacesOfImage,
  noClaims,
  type ReviewerOptions,
} from '../../mirror/index.ts';
import { type LabelSelector, labelSelectorOf, parseDurationMs } from '../../object/index.ts';
import { findMissing } from '../../registry/index.ts';
import { exemptNamespacesOf } from '../exempt-namespaces.ts';
import { backupRegistryOf } from './backup-registry.ts';
import type { FeatureEnvironment, WireFeature } from './feature.ts';
import { createMirrorRegistries } from './mirror-registries.ts';
import { createImageUse, isOrdered, workloadSources } from './mirror-sources.ts';

/**
 * The copy of every image: references are rewritten at admission, images copied by the leader, existing workloads
 * updated in the background.
 */
export const wireMirror: WireFeature = (environment) => {
  const { config, connection, informers, namespaces, webhooks, events, clock } = environment;
  const { client } = connection;
  const { installation } = config;
  const log = environment.log.child({ feature: 'mirror' });
  const target = targetOf(environment);
  const settings = settingsOf(environment, target);
  const metrics = createMirrorMetrics(environment.metrics);
  const registries = createMirrorRegistries(environment, target);
  const images = mirroredImageInformer(informers, installation);
  const headCopy: HeadCopy = async (copy, signal) =>
    (await registries.looking.headManifest(copy, copy.digest ?? copy.tag, signal))?.digest;
  const shared = {
    store: createMirroredImageStore({
      client,
      informer: images,
      installation,
      maxPerNamespace: config.mirror.maxImagesPerNamespace,
      onRefused: metrics.refused,
      clock,
    }),
    presence: createCopyPresence({ head: headCopy, clock }),
    settings,
    pullSecretProblem: createPullSecretProblem(settings.pullSecret, target, client),
    names: createCopyNames(settings),
    namespaceLabels: async (name: string, signal: AbortSignal) =>
      namespaces.labels(name) ?? namespaces.fetchLabels(name, signal),
    metrics,
    clock,
    log,
  };
  checkMode(config);
  addReviewers(webhooks, config.mirror, shared);

  const use = createImageUse(informers, settings.rewrite, (copy) => shared.names.isCopy(parseReference(copy)));
  const { copiesAtOnce, copiesPerNamespace = Math.ceil(copiesAtOnce / 2) } = config.mirror;
  const slots = createFairSlots({
    total: copiesAtOnce,
    perGroup: copiesPerNamespace,
    groupsOf: (key) => {
      const image = images.get(key);
      return image ? namespacesOfImage(image) : [''];
    },
  });
  const copies = createController({
    name: 'mirror-copies',
    concurrency: copiesAtOnce,
    // The registry client has already retried several times.
    backoff: { baseMs: 1_000, maxMs: 5 * 60_000 },
    sources: [slots.source, informerSource(images, isOrdered)],
    reconcile: slots.guard(
      createCopyController({
        ...shared,
        client,
        imageOf: (key) => images.get(key),
        claims:
          settings.mapping === 'basename' ? createNameClaims({ listImages: () => listImages(environment) }) : noClaims,
        copy: createCopyImage({
          withClient: registries.withClient,
          keepsDigests: settings.pin === 'digest',
          follow: settings.follow,
          pace: createBusyLoopBackoff(systemClock),
          log,
        }),
        headSource: (image, source, signal) =>
          registries.withClient(
            image,
            async (registry) => (await registry.headManifest(source, (source.digest ?? source.tag)!, signal))?.digest,
          ),
        headCopy,
        isWhole: async (copy, digest, signal) =>
          (await findMissing(registries.looking, copy, digest as Digest, signal)).length === 0,
        installation,
        recheckMs: settings.recheckMs,
        follow: settings.follow,
        isUsed: ({ spec }) => use.isUsed(spec),
        keepUnusedMs: parseDurationMs(config.mirror.keepUnused),
        events,
      }),
    ),
    metrics: environment.controllerMetrics,
    log,
  });
  const workloads = createController({
    name: 'mirror-workloads',
    concurrency: 4,
    backoff: { baseMs: 50, maxMs: 60_000 },
    sources: workloadSources(informers, images, settings.rewrite),
    reconcile: createRewriteController({
      ...shared,
      client,
      typeOf: (kind) => workloadTypes.find((type) => type.kind === kind),
      events,
    }),
    metrics: environment.controllerMetrics,
    log,
  });
  const leading = (name: string, run: Runnable['run']): Runnable => ({ name, needsLeadership: 'mirror', run });
  return {
    runnables: [
      leading('mirror-copies', (signal) => copies.run(signal)),
      leading('mirror-workloads', (signal) => workloads.run(signal)),
      {
        name: 'mirror-registries',
        order: startOrder.setup,
        async run(signal) {
          await whenAborted(signal);
          await registries.close();
        },
      },
    ],
  };
};

function addReviewers(
  webhooks: FeatureEnvironment['webhooks'],
  { failurePolicy, timeoutSeconds, namespaceSelector, trustReviews }: FeatureEnvironment['config']['mirror'],
  shared: Omit<ReviewerOptions, 'isStrict' | 'trustsReviews'>,
): void {
  const { rewrite, mode } = shared.settings;
  const options = { ...shared, isStrict: failurePolicy === 'Fail' && mode === 'sync', trustsReviews: trustReviews };
  const selector = namespaceSelector as LabelSelector;
  webhooks.add({
    reviewer: createMirrorReviewer(mirrorPaths.all, options),
    registration: mirrorRegistration({ rewrite, failurePolicy, timeoutSeconds, namespaceSelector: selector }),
  });
  for (const path of [mirrorPaths.deployment, mirrorPaths.daemonSet])
    webhooks.add({ reviewer: createMirrorReviewer(path, options) });
}

/** In mode `sync` reviews start copies, so only reviews of the API server may be accepted. */
function checkMode({ mirror, webhook }: FeatureEnvironment['config']): void {
  if (mirror.mode !== 'sync' || mirror.trustReviews || webhook.clientCA !== undefined) return;
  throw new UsageError(
    'mirror-sync-unauthenticated',
    'mirror.mode "sync" starts copies from reviews, which any client of the webhook port could send: ' +
      'set webhook.clientCA (see docs/admission.md), or mirror.trustReviews: true where only the API server reaches it',
  );
}

async function listImages({ connection, config }: FeatureEnvironment): Promise<readonly MirroredImage[]> {
  const found: MirroredImage[] = [];
  const labelSelector = `${ownerLabel}=${config.installation}`;
  for await (const page of connection.client.pages<MirroredImage>(mirroredImages, { labelSelector })) {
    if (page.startsOver) found.length = 0;
    found.push(...page.items);
  }
  return found;
}

function targetOf(environment: FeatureEnvironment): RegistryTarget {
  const target = backupRegistryOf(environment);
  if (!target)
    throw new UsageError(
      'mirror-no-registry',
      'the feature mirror needs a backup registry: set BACKUP_REGISTRY or mirror.registry, for example registry.example/copies',
    );
  return target;
}

function settingsOf({ config, namespace }: FeatureEnvironment, target: RegistryTarget): MirrorSettings {
  const { mapping, pin, mode, waitBytes, rewrite, pullSecret, skipGitOps, follow, ...rest } = config.mirror;
  // The response must be sent before the API server's time-out.
  const longestMs = rest.timeoutSeconds * 1000 - 1000;
  return {
    target,
    mapping,
    pin,
    mode,
    waitMs: Math.max(0, Math.min(parseDurationMs(rest.wait), longestMs)),
    waitBytes,
    rewrite,
    selectsNamespace: labelSelectorOf(rest.namespaceSelector as LabelSelector),
    exemptNamespaces: exemptNamespacesOf(config, namespace),
    pullSecret,
    skipsGitOps: skipGitOps,
    follow,
    recheckMs: parseDurationMs(rest.recheck),
  };
}
