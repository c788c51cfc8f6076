import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../base/index.ts';
import { isKubeError, type ResourceType } from '../../kube/index.ts';
import { findKyverno } from '../../runtime/index.ts';
import { configurationName } from '../../webhook/index.ts';
import { type CheckLine, fail, pass, warn } from './check-line.ts';
import type { Situation } from './situation.ts';
import type { WebhookConfiguration } from './webhooks.ts';

const clusterPolicies: ResourceType = {
  group: 'kyverno.io',
  version: 'v1',
  resource: 'clusterpolicies',
  kind: 'ClusterPolicy',
  namespaced: false,
};
const name = 'webhook-call';

/**
 * Creates, as a dry run, a policy that our webhook refuses. Only a webhook that answers refuses it: its failure policy
 * is Ignore.
 */
export async function probeWebhooks(
  situation: Pick<Situation, 'connection' | 'installation' | 'config' | 'signal'>,
  configurations: readonly WebhookConfiguration[],
): Promise<readonly CheckLine[]> {
  const { connection, installation, config, signal } = situation;
  const { client } = connection;
  const id = configurationName(installation, { name: 'policy-check' });
  const webhook = configurations.find(({ metadata }) => metadata.name === id)?.webhooks?.[0];
  if (!webhook) return [];
  const { selector } = config.policies;
  // A policy that is not ours is not checked; and the webhook may select objects by their labels.
  if (selector?.matchExpressions?.length || config.webhook.objectSelector) return [];
  if (!selector && (await findKyverno(client, signal)) !== undefined) return [];
  try {
    await client.create(clusterPolicies, brokenPolicy(selector?.matchLabels), { dryRun: true, signal });
  } catch (thrown) {
    if (!isKubeError(thrown)) throw thrown;
    const message = errorMessage(thrown);
    if (message.includes(`admission webhook "${webhook.name}" denied`))
      return [pass(name, `the API server reaches ${webhook.name}`)];
    if (message.includes('failed calling webhook')) return [fail(name, message, unreached)];
    if (thrown.retry !== 'never') throw thrown;
    return [warn(name, `not checked: ${message}`, 'use an account that may create ClusterPolicies')];
  }
  return [fail(name, `the API server does not reach ${webhook.name}: a broken policy was accepted`, unreached)];
}

const unreached = 'the API server must reach port 9443 of the pods: look at network policies and firewalls';

const brokenPolicy = (labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: `supercargo-check-${randomUUID().slice(0, 8)}`, labels },
  spec: {
    background: false,
    validationFailureAction: 'Audit',
    rules: [
      {
        name: 'broken',
        match: { any: [{ resources: { kinds: ['ConfigMap'], names: ['supercargo-check-nothing'] } }] },
        validate: {
          message: 'never used',
          deny: { conditions: { any: [{ key: '{{ request.object.[ }}', operator: 'Equals', value: 'x' }] } },
        },
      },
    ],
  },
});
