import { createCleanup, createCleanupMetrics } from '../../cleanup/index.ts';
import { parseDurationMs } from '../../object/index.ts';
import { isExcludedBy, isSparedBy } from '../excluded-objects.ts';
import type { WireFeature } from './feature.ts';

/** Deleting policies, when they are due; only on the leader. */
export const wireCleanup: WireFeature = (environment) => {
  const { config, connection, namespace: own, policies, namespaces, events, clock } = environment;
  const { maxDeletions, timeout, startingDeadline, namespacedResources } = config.cleanup;
  const controller = createCleanup({
    client: connection.client,
    discovery: connection.discovery,
    informers: environment.informers,
    policies,
    lookUps: environment.lookUps,
    turns: environment.turns,
    namespaceLabels: (name, signal) => namespaces.fetchLabels(name, signal),
    isSpared: isSparedBy(own, isExcludedBy(config)),
    maxDeletions,
    timeoutMs: parseDurationMs(timeout),
    startingDeadlineMs: startingDeadline === undefined ? undefined : parseDurationMs(startingDeadline),
    namespacedResources,
    events,
    metrics: createCleanupMetrics(environment.metrics),
    controllerMetrics: environment.controllerMetrics,
    clock,
    log: environment.log.child({ feature: 'cleanup' }),
  });
  return { runnables: [{ name: 'cleanup', needsLeadership: 'cleanup', run: (signal) => controller.run(signal) }] };
};
