import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Registry } from 'prom-client';
import type { Logger } from '../base/index.ts';
import {
  createControllerMetrics,
  createLeaderElection,
  createManager,
  createSoleLeadership,
  type Leadership,
  type Manager,
} from '../controller/index.ts';
import type { Environment } from '../kube/index.ts';
import { parseDurationMs } from '../object/index.ts';
import { type Config, policyFeatures } from './config.ts';
import type { Connection } from './connect.ts';
import { createEnvironment, selectorOf, supportsOf } from './environment.ts';
import { loadFeature } from './features/index.ts';
import { createStatusServer } from './status-server.ts';

export interface ClusterOptions {
  readonly config: Config;
  readonly connection: Connection;
  readonly env: Environment;
  readonly log: Logger;
  /** The program of a thread that writes reports, so that admission has this one to itself. */
  readonly reportWorker?: URL | undefined;
  /** False leaves `/healthz`, `/readyz` and `/metrics` out. */
  readonly servesStatus?: boolean;
  readonly onListening?: (address: string) => void;
}

export interface ClusterProgram extends Manager {
  /** Ready, and where it leads, with all webhooks registered. */
  isSettled(): boolean;
}

/** Everything that runs against a real cluster, ready to be run until a signal. */
export async function createClusterProgram(options: ClusterOptions): Promise<ClusterProgram> {
  const { config, connection, log, onListening, servesStatus = true } = options;
  const [selector, ...wires] = await Promise.all([
    config.features.some((name) => policyFeatures.has(name)) ? selectorOf(config, connection, log) : undefined,
    ...config.features.map(loadFeature),
  ]);
  const registry = new Registry();
  const metrics = createControllerMetrics(registry);
  const environment = createEnvironment({ ...options, metrics: registry, selector });
  const features = wires.flatMap((wire) => wire(environment).runnables);
  const reviews = environment.webhooks.runnables();
  const manager: Manager = createManager({
    log,
    leadership: [leadershipOf(config, connection, log, metrics)],
    pollMs: 5,
    runnables: [
      ...(servesStatus
        ? [
            createStatusServer({
              ...config.server,
              registry,
              readiness: () => manager.isReady(),
              ...(onListening ? { onListening } : {}),
            }),
          ]
        : []),
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

function leadershipOf(
  config: Config,
  { client }: Connection,
  log: Logger,
  metrics: ReturnType<typeof createControllerMetrics>,
): Leadership {
  const { enabled, leaseDuration, renewDeadline, retryPeriod } = config.leaderElection;
  if (!enabled) return createSoleLeadership('controllers');
  return createLeaderElection({
    client,
    group: 'controllers',
    lease: { namespace: config.namespace ?? client.config.namespace, name: `${config.installation}-controllers` },
    // A pod's name alone comes back after a restart; the rest makes every process a candidate of its own.
    identity: `${hostname()}_${randomUUID().slice(0, 8)}`,
    leaseDurationMs: parseDurationMs(leaseDuration),
    renewDeadlineMs: parseDurationMs(renewDeadline),
    retryPeriodMs: parseDurationMs(retryPeriod),
    log,
    onNewLeader: (identity) => log.info('new leader', { identity }),
    onLeadingChanged: metrics.forLeadership('controllers'),
  });
}
