import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  type ResourceTemplate,
  resourceTemplates,
} from '../../api/index.ts';
import { type AddressPolicy, whenAborted } from '../../base/index.ts';
import { createController, informerSource, type Runnable, startOrder } from '../../controller/index.ts';
import {
  createCreateMetrics,
  createCreator,
  createPublisher,
  createTemplateCheck,
  lineageOf,
  logStatistics,
  type RemoteSettings,
  remoteOf,
  templateKeyOf,
} from '../../create/index.ts';
import { createGit, ownPrefix, removeLeftovers } from '../../git/index.ts';
import type { Informer } from '../../kube/index.ts';
import { keyOf, parseDurationMs } from '../../object/index.ts';
import { proxyFor, proxyFromEnvironment } from '../../registry/index.ts';
import { builtinSchemaOf } from '../../schema/index.ts';
import { registryNetwork } from '../registry-network.ts';
import { prefixesOf } from './create-prefixes.ts';
import { createDryRun } from './dry-run.ts';
import type { FeatureEnvironment, WireFeature } from './feature.ts';

/** The number of detections that may share a commit: each waits for it. */
const detectionsAtOnce = 100;

/** How often the statistics of the image index are logged. */
const statisticsMs = 5 * 60_000;

/** From `ImageDetected` objects to commits; only on the leader. */
export const wireCreate: WireFeature = (environment) => {
  const { config, env, connection, informers, inventory, events, clock } = environment;
  const log = environment.log.child({ feature: 'create' });
  const { client } = connection;
  const policies = informers.for<ImageResourcePolicy>(imageResourcePolicies);
  const templates = informers.for<ResourceTemplate>(resourceTemplates);
  const detections = informers.for<ImageDetected>(imagesDetected, {
    indexes: {
      policy: ({ metadata, spec }) => [
        `${spec.sourcePolicy.namespace ?? metadata.namespace}/${spec.sourcePolicy.name}`,
      ],
      repository: (detection) => [lineageOf(detection, 'repository')],
      baseName: (detection) => [lineageOf(detection, 'baseName')],
      digest: ({ spec }) => [spec.imageDigest],
    },
  });
  policies.addIndexes({ template: (policy) => [templateKeyOf(policy)] });
  const remotes = remotesOf(environment);
  const cache = cacheOf(config.create.cacheDir);
  const metrics = createCreateMetrics(environment.metrics);
  const templateOf = (key: string) => templates.get(key);
  const publish = createPublisher({
    git: createGit({
      cacheDir: cache.dir,
      temporaryDir: tmpdir(),
      path: env['PATH'] ?? '',
      addresses: gitAddresses(config),
      maxRepositoryBytes: config.create.maxRepositoryBytes,
      maxCacheBytes: config.create.maxCacheBytes,
      clock,
    }),
    remoteOf: ({ template }, signal) => remoteOf(template, client, remotes, signal),
    clock,
    metrics,
    windowMs: parseDurationMs(config.create.batchWindow),
    maxItems: detectionsAtOnce,
  });
  const creator = createController({
    name: 'create',
    concurrency: detectionsAtOnce,
    sources: detectionSources(detections, policies, templates),
    reconcile: createCreator({
      client,
      detectionOf: (key) => detections.get(key),
      policyOf: (key) => policies.get(key),
      templateOf,
      siblingsOf: (lineage, check) => detections.byIndex(check === 'baseName' ? 'baseName' : 'repository', lineage),
      prefixOfDigest: (digest) => detections.byIndex('digest', digest)[0]?.spec.tagPrefix,
      prefixesOf,
      inventory,
      schemaOf: builtinSchemaOf,
      dryRun: createDryRun(connection),
      publish,
      installation: config.installation,
      events,
      metrics,
      clock,
      random: Math.random,
      log,
    }),
    metrics: environment.controllerMetrics,
    log,
  });
  const checks = createController({
    name: 'create-templates',
    sources: [informerSource(templates, specChanged)],
    reconcile: createTemplateCheck({ client, templateOf, remotes, clock }),
    metrics: environment.controllerMetrics,
    log,
  });
  return {
    runnables: [
      leading('create', async (signal) => {
        while (!inventory.hasSynced && !signal.aborted) await clock.sleep(20, signal).catch(() => {});
        const statistics = (async () => {
          while (!signal.aborted) {
            logStatistics(log, inventory.index);
            await clock.sleep(statisticsMs, signal).catch(() => {});
          }
        })();
        await Promise.all([statistics, creator.run(signal)]);
      }),
      leading('create-templates', (signal) => checks.run(signal)),
      { name: 'create-cache', order: startOrder.setup, run: cache.removeAfter },
    ],
  };
};

const leading = (name: string, run: Runnable['run']): Runnable => ({ name, needsLeadership: 'create', run });

/**
 * A detection is reconciled when it is created, and when its policy or template changes; never because of our own
 * status.
 */
function detectionSources(
  detections: Informer<ImageDetected>,
  policies: Informer<ImageResourcePolicy>,
  templates: Informer<ResourceTemplate>,
) {
  const ofPolicy = (key: string) => detections.byIndex('policy', key).map((detection) => keyOf(detection));
  const ofTemplate = (key: string) => policies.byIndex('template', key).flatMap((policy) => ofPolicy(keyOf(policy)));
  return [
    informerSource(detections, specChanged),
    informerSource(policies, (change) => policyChanged(change).flatMap(ofPolicy)),
    informerSource(templates, (change) => grantChanged(change).flatMap(ofTemplate)),
  ];
}

interface Change {
  readonly key: string;
  readonly stored: { readonly metadata: ImageDetected['metadata'] };
  readonly previous?: { readonly metadata: ImageDetected['metadata'] };
}

const specChanged = ({ key, stored, previous }: Change): readonly string[] =>
  previous !== undefined && previous.metadata.generation === stored.metadata.generation ? [] : [key];

/** The status confirms detections, and it changes without a new generation. */
const policyChanged = (change: {
  readonly key: string;
  readonly stored: ImageResourcePolicy;
  readonly previous?: ImageResourcePolicy;
}): readonly string[] =>
  JSON.stringify(change.previous?.status?.lastDetected) === JSON.stringify(change.stored.status?.lastDetected)
    ? specChanged(change)
    : [change.key];

/** Annotations grant the use of a template, and they change without a new generation. */
const grantChanged = (change: Change): readonly string[] => {
  const isGrant =
    JSON.stringify(change.previous?.metadata.annotations) !== JSON.stringify(change.stored.metadata.annotations);
  return isGrant ? [change.key] : specChanged(change);
};

/** The address rules of registries apply to Git servers too; `create` allows or rejects more. */
function gitAddresses(config: FeatureEnvironment['config']): AddressPolicy {
  const { addresses } = registryNetwork(config);
  const { allowLoopback, denyPrivateAddresses } = config.create;
  return {
    ...addresses,
    allowLoopback: allowLoopback || addresses.allowLoopback,
    denyPrivate: denyPrivateAddresses || addresses.denyPrivate,
  };
}

function remotesOf({ config, env }: FeatureEnvironment): RemoteSettings {
  const proxies = proxyFromEnvironment(env);
  return {
    knownHosts: config.create.knownHosts,
    allowsLocal: config.create.allowLocalRepositories,
    proxyFor: (url) => (/^https?:/i.test(url) && URL.canParse(url) ? proxyFor(new URL(url), proxies) : undefined),
  };
}

/** The folder of the clones; the default one is deleted with the program. */
function cacheOf(given: string | undefined): { readonly dir: string; readonly removeAfter: Runnable['run'] } {
  const dir = given ?? join(tmpdir(), `${ownPrefix('repositories')}${randomUUID()}`);
  return {
    dir,
    async removeAfter(signal) {
      // Clones and private folders of killed processes.
      await removeLeftovers(tmpdir());
      await whenAborted(signal);
      if (given === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}
