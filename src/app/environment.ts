import { setMaxListeners } from 'node:events';
import type { Registry } from 'prom-client';
import { type Clock, type Logger, systemClock } from '../base/index.ts';
import { createControllerMetrics, type Runnable, startOrder } from '../controller/index.ts';
import { createInventory, type Inventory } from '../inventory/index.ts';
import { createEventRecorder, createInformerFactory } from '../kube/index.ts';
import { type LabelMatcher, type LabelSelector, labelSelectorOf, parseDurationMs } from '../object/index.ts';
import {
  createEvaluationTurns,
  createLivePolicies,
  createLookUps,
  createNamespaces,
  createRoles,
  findKyverno,
  type LiveLookUps,
  type LivePolicies,
  type WatchedNamespaces,
} from '../runtime/index.ts';
import { createWebhooks, type Webhooks } from '../webhook/index.ts';
import { clientAuthenticationOf } from './client-authentication.ts';
import type { Config } from './config.ts';
import type { ConfigReload } from './config-watch.ts';
import type { Connection } from './connect.ts';
import { exemptNamespacesOf } from './exempt-namespaces.ts';
import type {
  AdmissionResultsFeed,
  DashboardPlace,
  FeatureEnvironment,
  PolicyProblemsFeed,
  PolicyWebhooks,
} from './features/index.ts';
import { openImageClient } from './image-access.ts';
import { createImageData, type LiveImageData } from './image-data.ts';
import { ownNamespaceOf } from './own-namespace.ts';
import { registryNetwork } from './registry-network.ts';
import { createUnreadableKindsLog } from './unreadable-kinds.ts';
import { createFailingMetric, createSkippedMetric, firstListsMissing, watchReadiness } from './watch-health.ts';

interface EnvironmentOptions {
  readonly config: Config;
  readonly connection: Connection;
  readonly env: FeatureEnvironment['env'];
  readonly metrics: Registry;
  readonly selector: LabelMatcher | undefined;
  readonly reportWorker?: URL | undefined;
  readonly reload?: ConfigReload | undefined;
  readonly dashboard?: DashboardPlace | undefined;
  /** That of the features. */
  readonly clock?: Clock | undefined;
  readonly log: Logger;
}

/** What the features share, created on demand. */
interface Environment extends FeatureEnvironment {
  readonly lookUps: LiveLookUps;
  readonly images: LiveImageData;
}

export function createEnvironment({
  config,
  connection,
  env,
  metrics,
  selector,
  reportWorker,
  reload,
  dashboard,
  clock = systemClock,
  log,
}: EnvironmentOptions): Environment {
  const { client, discovery } = connection;
  const namespace = ownNamespaceOf(config, client.config);
  const informers = createInformerFactory({
    client,
    log,
    onSkipped: createSkippedMetric(metrics),
    onUnreadable: createUnreadableKindsLog(log, systemClock),
  });
  createFailingMetric(metrics, informers);
  const controllerMetrics = createControllerMetrics(metrics);
  const events = createEventRecorder({ client, component: config.installation, log });
  const network = registryNetwork(config);
  const images = createImageData((access) => openImageClient(access, { client, namespace, env, network, log }));
  let policies: LivePolicies | undefined;
  let namespaces: WatchedNamespaces | undefined;
  let inventory: Inventory | undefined;
  return {
    config,
    env,
    namespace,
    connection,
    reportWorker,
    onReload: (listener) => reload?.subscribe(listener),
    dashboard,
    selector,
    informers,
    get inventory() {
      inventory ??= createInventory({ informers });
      return inventory;
    },
    images,
    // Policies and namespaces are watched only if a feature needs them.
    get policies() {
      policies ??= createLivePolicies({
        informers,
        selector,
        exceptionNamespaces: config.policies.exceptionNamespaces,
        log,
      });
      return policies;
    },
    get namespaces() {
      namespaces ??= createNamespaces({ client, informers });
      return namespaces;
    },
    roles: createRoles({ informers }),
    turns: createEvaluationTurns(),
    lookUps: createLookUps({
      client,
      discovery,
      informers,
      clock,
      log,
      imageData: images.imageData,
      // Only where a feature watches namespaces.
      namespaceVersion: (name) => namespaces?.version(name),
      rules: config.lookUps,
      limits: { ...config.lookUps, timeoutMs: parseDurationMs(config.lookUps.timeout) },
    }),
    webhooks: webhooksOf({ config, env, connection, informers, namespace, events, metrics, controllerMetrics, log }),
    admissionResults: createFeed(),
    policyProblems: createProblems(),
    policyWebhooks: createPolicyWebhooks(),
    events,
    metrics,
    controllerMetrics,
    clock,
    log,
  };
}

function webhooksOf(
  environment: Pick<
    FeatureEnvironment,
    'config' | 'env' | 'connection' | 'informers' | 'namespace' | 'events' | 'metrics' | 'controllerMetrics' | 'log'
  >,
): Webhooks {
  const { config, connection, namespace } = environment;
  const { host, port, exposure, url, service, tls, maxBodyBytes, namespaceSelector, objectSelector } = config.webhook;
  const isInPod = connection.client.config.isInPod === true;
  const { removeOnStop = !isInPod, shutdownDelay = isInPod ? '5s' : '0s' } = config.webhook;
  const name = service.name ?? `${config.installation}-webhook`;
  const isLocal = exposure === 'loopback';
  return createWebhooks({
    client: connection.client,
    informers: environment.informers,
    installation: config.installation,
    namespace,
    server: {
      host: isLocal ? '127.0.0.1' : host,
      port,
      maxBodyBytes,
      shutdownDelayMs: parseDurationMs(shutdownDelay),
      clientAuthentication: clientAuthenticationOf(config.webhook),
    },
    address: (actual) => {
      if (url !== undefined) return { url: url.replace(/\/+$/, '') };
      return isLocal ? { url: `https://127.0.0.1:${actual}` } : { service: { namespace, name, port: service.port } };
    },
    certificate:
      tls.secretName === undefined
        ? {
            hosts: isLocal
              ? ['127.0.0.1', 'localhost']
              : url !== undefined
                ? [new URL(url).hostname]
                : [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`],
            // A certificate is for one Service: parts with their own Services share none.
            ownSecret: name,
            authorityDays: tls.authorityDays,
            servingDays: tls.certificateDays,
            overlapMs: parseDurationMs(tls.overlap),
          }
        : { secretName: tls.secretName },
    exemptNamespaces: exemptNamespacesOf(config, namespace),
    namespaceSelector: namespaceSelector as LabelSelector | undefined,
    objectSelector: objectSelector as LabelSelector | undefined,
    removeOnStop,
    events: environment.events,
    // The controller of policy status must know which webhooks are registered, so both are one group.
    leadershipGroup: (['admission', 'mirror'] as const).find((name) => config.features.includes(name)) ?? 'webhooks',
    metrics: environment.metrics,
    controllerMetrics: environment.controllerMetrics,
    clock: systemClock,
    log: environment.log,
  });
}

function createFeed(): AdmissionResultsFeed {
  const listeners = new Set<AdmissionResultsFeed['publish']>();
  return {
    publish(results) {
      for (const listener of [...listeners]) listener(results);
    },
    get hasListeners() {
      return listeners.size > 0;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function createProblems(): PolicyProblemsFeed {
  // By policy, then by feature: a resolved problem of one must not hide another's.
  const problems = new Map<string, Map<string, NonNullable<ReturnType<PolicyProblemsFeed['of']>>>>();
  const listeners = new Set<(policy: string) => void>();
  return {
    from: (feature) => (policy, problem) => {
      const own = problems.get(policy) ?? new Map();
      if (problem) problems.set(policy, own.set(feature, problem));
      else if (own.delete(feature) && own.size === 0) problems.delete(policy);
      for (const listener of [...listeners]) listener(policy);
    },
    of(policy) {
      const found = [...(problems.get(policy)?.values() ?? [])];
      return found[0] && { reason: found[0].reason, message: found.map(({ message }) => message).join('; ') };
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function createPolicyWebhooks(): PolicyWebhooks {
  const webhooks: Parameters<PolicyWebhooks['add']>[0][] = [];
  return {
    add: (webhook) => void webhooks.push(webhook),
    isRegistered: (program) => webhooks.every((webhook) => webhook.isRegistered(program)),
    subscribe(listener) {
      const stops = webhooks.map((webhook) => webhook.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Our policies: those that the configuration selects; without a selector all, or none if Kyverno runs. */
export async function selectorOf(
  config: Config,
  { client }: Connection,
  log: Logger,
): Promise<LabelMatcher | undefined> {
  const { selector } = config.policies;
  if (selector) return labelSelectorOf(selector as LabelSelector);
  const reason = await findKyverno(client);
  if (reason === undefined) return undefined;
  log.warn('no policy is selected: Kyverno runs in this cluster; set policies.selector', { reason });
  return () => false;
}

/** Shared runnables. */
export function supportsOf({ informers, events, lookUps, images }: Environment): readonly Runnable[] {
  let hasSynced = false;
  return [
    {
      name: 'informers',
      order: startOrder.sources,
      async run(signal) {
        // One signal ends all informers and their requests; many listeners are not a leak here.
        setMaxListeners(0, signal);
        const synced = informers.synced(signal).then(
          () => {
            hasSynced = true;
          },
          // Aborted before the first lists were complete: the run below ends as well.
          () => {},
        );
        await informers.run(signal);
        await synced;
      },
      ready: () => (hasSynced ? watchReadiness(informers, systemClock.monotonicMs()) : firstListsMissing(informers)),
    },
    { name: 'event-recorder', order: startOrder.setup, run: (signal) => events.run(signal) },
    {
      name: 'look-ups',
      order: startOrder.setup,
      async run(signal) {
        await lookUps.run(signal);
        await images.close();
      },
    },
  ];
}
