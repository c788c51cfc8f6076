import {
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  type ResourceTemplate,
  resourceTemplates,
} from '../../api/index.ts';
import { createController, type InformerChange, informerSource, type Runnable } from '../../controller/index.ts';
import { createDetectMetrics, createDetector, createExpiry, createOpenSource } from '../../detect/index.ts';
import { keyOf } from '../../object/index.ts';
import { proxyFromEnvironment } from '../../registry/index.ts';
import { registryNetwork } from '../registry-network.ts';
import { createIsCopy } from './backup-registry.ts';
import type { WireFeature } from './feature.ts';

/** From registries to `ImageDetected` objects; only on the leader. */
export const wireDetect: WireFeature = (environment) => {
  const { config, env, connection, informers, events, metrics, controllerMetrics, clock, log } = environment;
  const { client } = connection;
  const policies = informers.for<ImageResourcePolicy>(imageResourcePolicies);
  const templates = informers.for<ResourceTemplate>(resourceTemplates);
  policies.addIndexes({ foreignTemplate: (policy) => foreignTemplateOf(policy) });
  // Only for a template of another namespace: its grant decides whether a policy is scanned.
  const usersOf = ({ key }: { readonly key: string }) =>
    policies.byIndex('foreignTemplate', key).map((policy) => keyOf(policy));
  const detector = createController({
    name: 'detect',
    // An immediate retry does not help against a registry that denies or throttles.
    backoff: { baseMs: 2_000, maxMs: 300_000 },
    sources: [informerSource(policies, specChanged), informerSource(templates, usersOf)],
    reconcile: createDetector({
      client,
      policyOf: (key) => policies.get(key),
      templateOf: (key) => templates.get(key),
      openSource: createOpenSource({
        client,
        registry: { proxy: proxyFromEnvironment(env), log, ...registryNetwork(config) },
      }),
      isCopy: createIsCopy(environment),
      installation: config.installation,
      events,
      metrics: createDetectMetrics(metrics),
      clock,
      log,
    }),
    metrics: controllerMetrics,
    log,
  });
  const runnables: Runnable[] = [leading('detect', (signal) => detector.run(signal))];
  // Creation deletes expired detections; without that feature detection does.
  if (!config.features.includes('create')) {
    const detections = informers.for<ImageDetected>(imagesDetected);
    const expiry = createController({
      name: 'detect-expiry',
      sources: [informerSource(detections)],
      reconcile: createExpiry({
        client,
        detectionOf: (key) => detections.get(key),
        installation: config.installation,
        clock,
      }),
      metrics: controllerMetrics,
      log,
    });
    runnables.push(leading('detect-expiry', (signal) => expiry.run(signal)));
  }
  return { runnables };
};

const leading = (name: string, run: Runnable['run']): Runnable => ({ name, needsLeadership: 'detect', run });

function foreignTemplateOf({ metadata, spec }: ImageResourcePolicy): readonly string[] {
  const { name, namespace = metadata.namespace } = spec.templateRef;
  return namespace === metadata.namespace ? [] : [`${namespace}/${name}`];
}

/** Our own status updates must not cause a scan, nor cut a backoff short. */
function specChanged(change: InformerChange<ImageResourcePolicy, ImageResourcePolicy>): readonly string[] {
  const isSame = 'previous' in change && change.previous.metadata.generation === change.stored.metadata.generation;
  return isSame ? [] : [change.key];
}
