import { hostname } from 'node:os';
import { createGenerator } from '../../generate/index.ts';
import type { WireFeature } from './feature.ts';

/** Generate and mutate-existing rules. */
export const wireGenerate: WireFeature = (environment) => {
  const {
    config,
    connection,
    namespace,
    policies,
    lookUps,
    namespaces,
    roles,
    turns,
    events,
    metrics,
    controllerMetrics,
    clock,
    log,
  } = environment;
  // Most rules need no webhook. Without admission no webhook server is opened for the few that do.
  const receivesRequests = config.features.includes('admission');
  const { runnables, listener } = createGenerator({
    client: connection.client,
    discovery: connection.discovery,
    policies,
    lookUps,
    namespaces,
    roles,
    turns,
    receivesRequests,
    trustsReviews: config.generate.trustReviews,
    canTrust: config.generate.trustReviews || config.webhook.clientCA !== undefined,
    events,
    metrics,
    controllerMetrics,
    namespace,
    installation: config.installation,
    replica: hostname()
      .toLowerCase()
      .replace(/[^a-z0-9.-]/g, '-'),
    onProblem: environment.policyProblems.from('generate'),
    clock,
    log,
  });
  if (receivesRequests) {
    environment.webhooks.add(listener);
    environment.policyWebhooks.add(listener.registrations);
  }
  return { runnables };
};
