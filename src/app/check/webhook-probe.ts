import { leaseType } from '../../controller/index.ts';
import { configurationName, probe, probeRegistration } from '../../webhook/index.ts';
import { type CheckLine, fail, pass, warn } from './check-line.ts';
import { askFor } from './permissions.ts';
import { hasWebhooks, type Situation } from './situation.ts';
import type { WebhookConfiguration } from './webhooks.ts';

const name = 'webhook-call';

/**
 * Asks the API server to call our webhooks, as the leader does before it registers any: it creates a Lease, as a dry run,
 * which only an answering webhook refuses. Of several parts with webhooks the first that refuses answers.
 */
export async function probeWebhooks(
  situation: Pick<Situation, 'connection' | 'installation' | 'namespace' | 'features' | 'clock' | 'signal'>,
  configurations: readonly WebhookConfiguration[],
): Promise<readonly CheckLine[]> {
  const { connection, installation, namespace, clock, signal } = situation;
  const names = configurations.map(({ metadata }) => metadata.name!);
  const probes = ['admission', 'mirror'].map((group) => configurationName(installation, probeRegistration(group)));
  if (!hasWebhooks(situation.features) || !probes.some((one) => names.includes(one))) return [];
  const access = { verb: 'create', group: leaseType.group, resource: leaseType.resource, namespace };
  if (!(await askFor(situation, undefined)(access)))
    return [warn(name, `not checked: this account may not create Leases in ${namespace}`, 'use one that may')];
  const problem = await probe({ client: connection.client, installation, namespace, clock }, signal);
  if (problem === undefined) return [pass(name, 'the API server reaches our webhooks')];
  return [fail(name, `the API server does not reach our webhooks: ${problem}`, unreached)];
}

const unreached = 'the API server must reach port 9443 of the pods: look at network policies and firewalls';
