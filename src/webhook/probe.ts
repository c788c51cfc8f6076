import { randomUUID } from 'node:crypto';
import { type Clock, errorMessage } from '../base/index.ts';
import { leaseType } from '../controller/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type ConfigurationOptions, configurationName, namespaceLabel, renderConfiguration } from './configuration.ts';
import type { Reviewer, WebhookEntry } from './reviewer.ts';

/** The label of the one object that the probe's webhook is about. */
const probeLabel = 'supercargo.dev/webhook-probe';
const path = 'probe';
const answerTo = (nonce: string) => `the webhook answers probe ${nonce}`;

/** Its configuration; those of parts with a server of their own differ by name. */
export const probeRegistration = (group: string) => ({ name: `probe-${group}`, type: 'mutating' }) as const;

/** Refuses every object, with its name in the message: only a review that came back through the API server shows it. */
export function createProbeReviewer(): Reviewer {
  return { path, review: ({ name }) => ({ denied: answerTo(name) }) };
}

/**
 * The webhook that the probe calls, with the address and authorities of all others. Nobody else's request matches it:
 * it is about Leases with our label in our own namespace.
 */
export function renderProbeConfiguration(
  group: string,
  namespace: string,
  options: ConfigurationOptions,
): KubeObject & { readonly webhooks: readonly unknown[] } {
  const entry: WebhookEntry = {
    name: path,
    path: `/${path}`,
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [leaseType.group],
        apiVersions: [leaseType.version],
        resources: [leaseType.resource],
        scope: 'Namespaced',
      },
    ],
    failurePolicy: 'Fail',
    timeoutSeconds: 5,
  };
  const configuration = renderConfiguration(probeRegistration(group), [entry], options);
  const webhooks = (configuration['webhooks'] as readonly object[]).map((webhook) => ({
    ...webhook,
    namespaceSelector: { matchLabels: { [namespaceLabel]: namespace } },
    objectSelector: { matchLabels: { [probeLabel]: options.installation } },
  }));
  return { ...configuration, webhooks };
}

interface ProbeOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly namespace: string;
  readonly clock: Clock;
}

/** An API server calls a new webhook after its watch has delivered it. */
const learnMs = 10_000;
const pollMs = 50;
const requestTimeoutMs = 15_000;

/**
 * Creates, as a dry run, a Lease that the probe's webhook refuses. Undefined when the refusal came back, else why not,
 * in the words of the API server. Nothing is ever stored.
 */
export async function probe(options: ProbeOptions, signal: AbortSignal): Promise<string | undefined> {
  const { client, installation, namespace, clock } = options;
  const endsAtMs = clock.monotonicMs() + learnMs;
  for (;;) {
    const name = `${configurationName(installation, { name: path })}-${randomUUID()}`;
    const lease = {
      apiVersion: `${leaseType.group}/${leaseType.version}`,
      kind: leaseType.kind,
      metadata: { name, namespace, labels: { [probeLabel]: installation } },
    };
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      await client.create(leaseType, lease, { dryRun: true, signal: within });
    } catch (thrown) {
      signal.throwIfAborted();
      const message = errorMessage(thrown);
      if (isKubeError(thrown) && message.includes(answerTo(name))) return undefined;
      // Each attempt has another name: messages are compared.
      return message.replaceAll(name, '<probe>');
    }
    if (clock.monotonicMs() >= endsAtMs)
      return 'the API server does not call the webhook: is admission of webhooks on?';
    await clock.sleep(pollMs, signal);
  }
}
