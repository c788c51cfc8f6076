import { Registry } from 'prom-client';
import { type Clock, type Logger, UsageError } from '../base/index.ts';
import { createManager, type Manager } from '../controller/index.ts';
import type { Environment } from '../kube/index.ts';
import { type Config, policyFeatures } from './config.ts';
import type { ConfigReload } from './config-watch.ts';
import type { Connection } from './connect.ts';
import { createEnvironment, selectorOf, supportsOf } from './environment.ts';
import { type DashboardPlace, loadFeature } from './features/index.ts';
import { createLeaderships, electHere } from './leaderships.ts';
import { createLivenessThread } from './liveness/thread.ts';
import { createStatusResponder, plain } from './status-responses.ts';
import { createStatusServer } from './status-server.ts';
import { unreadableKinds } from './watch-health.ts';

export interface ClusterOptions {
  readonly config: Config;
  readonly connection: Connection;
  readonly env: Environment;
  /** Changes of the configuration while the program runs. */
  readonly reload?: ConfigReload | undefined;
  /** That of the features; the system's by default. */
  readonly clock?: Clock | undefined;
  readonly log: Logger;
  /** The worker program that writes reports, so that admission has this thread to itself. */
  readonly reportWorker?: URL | undefined;
  readonly dashboard?: DashboardPlace | undefined;
  /** The worker program for leases and `/healthz`; without it they run in this event loop. */
  readonly livenessWorker?: URL | undefined;
  /** False disables `/healthz`, `/readyz` and `/metrics`. */
  readonly servesStatus?: boolean;
  readonly onListening?: (address: string) => void;
}

export interface ClusterProgram extends Manager {
  /** Ready, and on the leader with all webhooks registered. */
  isSettled(): boolean;
}

/** Everything that runs against a real cluster, until a signal. */
export async function createClusterProgram(options: ClusterOptions): Promise<ClusterProgram> {
  const { config, connection, reload, log, onListening, livenessWorker, servesStatus = true } = options;
  const [selector, ...wires] = await Promise.all([
    config.features.some((name) => policyFeatures.has(name)) ? selectorOf(config, connection, log) : undefined,
    ...config.features.map(loadFeature),
  ]);
  const registry = new Registry();
  const environment = createEnvironment({ ...options, metrics: registry, selector });
  const features = wires.flatMap((wire) => wire(environment).runnables);
  const reviews = environment.webhooks.runnables();
  if (reviews.length > 0) checkReachable(config.webhook, connection);
  const respond = createStatusResponder({
    registry,
    readiness: () => manager.isReady(),
    leaders: () => leaderships.describe(),
    unreadable: () => unreadableKinds(environment.informers),
  });
  const liveness =
    livenessWorker &&
    createLivenessThread({
      program: livenessWorker,
      origin: connection.origin,
      logLevel: config.logLevel,
      logFormat: config.logFormat,
      reload,
      server: servesStatus ? config.server : undefined,
      respond,
      onListening,
    });
  const status =
    liveness || !servesStatus
      ? []
      : [createStatusServer({ ...config.server, health: () => plain(200, 'ok'), respond, onListening })];
  const leaderships = createLeaderships([...features, ...reviews], {
    settings: config.leaderElection,
    elect: liveness?.elect ?? electHere({ client: connection.client, log }),
    namespace: environment.namespace,
    installation: config.installation,
    env: options.env,
    metrics: environment.controllerMetrics,
  });
  const manager: Manager = createManager({
    log,
    leadership: leaderships.all,
    pollMs: 5,
    runnables: [
      ...(reload ? [reload.runnable] : []),
      ...(liveness ? [liveness.runnable] : []),
      ...status,
      ...(features.length > 0 ? supportsOf(environment) : []),
      ...features,
      ...reviews,
    ],
  });
  return {
    run: (signal) => manager.run(signal),
    isReady: () => manager.isReady(),
    isSettled: () => manager.isReady().ready && (reviews.length === 0 || environment.webhooks.isRegistered),
  };
}

/** Webhooks of a Service without pods block the cluster: from outside none are registered by default. */
function checkReachable({ exposure, url }: Config['webhook'], { client }: Connection): void {
  if (exposure !== undefined || url !== undefined || client.config.isInPod) return;
  throw new UsageError(
    'webhook-unreachable',
    'this process runs outside the cluster, where the API server cannot reach its webhooks: name an address that it ' +
      'can reach with --exposure url=https://HOST:PORT (webhook.url), or --exposure loopback where both run on one ' +
      'machine, or leave out the features admission and mirror; `supercargo install` runs them inside the cluster',
  );
}
