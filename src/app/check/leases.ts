import type { ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { type CheckLine, fail, pass, someOf } from './check-line.ts';
import type { Situation } from './situation.ts';

const leases: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
};

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly renewTime?: string;
  readonly leaseDurationSeconds?: number;
}

export async function checkLeases(situation: Situation): Promise<readonly CheckLine[]> {
  const { connection, namespace, installation, features, isInstalled, config, signal } = situation;
  if (!isInstalled || !config.leaderElection.enabled) return [];
  // Lists of one, which our accounts may read, and which carry the server's time.
  const lists = await Promise.all(
    features.map((feature) =>
      connection.client.list<KubeObject>(leases, {
        namespace,
        fieldSelector: `metadata.name=${installation}-${feature}`,
        signal,
      }),
    ),
  );
  const now = lists[0]?.serverTimeMs ?? situation.clock.now();
  return [
    judgeLeases(
      lists.flatMap(({ items }) => items),
      situation,
      now,
    ),
  ];
}

/** Who leads each feature. A Lease that nobody renews means that nobody does its work. */
export function judgeLeases(
  items: readonly KubeObject[],
  { installation, features }: Pick<Situation, 'installation' | 'features'>,
  now: number,
): CheckLine {
  const own = new Set<string>(features.map((feature) => `${installation}-${feature}`));
  const [led, idle]: [string[], string[]] = [[], []];
  for (const { metadata, spec } of items) {
    if (!own.has(metadata.name!)) continue;
    const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 15 } = (spec ?? {}) as LeaseSpec;
    const feature = metadata.name!.slice(installation.length + 1);
    const isHeld = holderIdentity !== '' && Date.parse(renewTime) + leaseDurationSeconds * 1_000 > now;
    // The process of a pod is `<pod>_<uid>_<suffix>`.
    if (isHeld) led.push(`${feature} by ${holderIdentity.split('_')[0]}`);
    else idle.push(feature);
  }
  const remedy = 'a replica takes over within seconds: look at the pods and their logs';
  if (idle.length > 0) return fail('leases', `nobody leads ${idle.join(', ')}`, remedy);
  if (led.length === 0) return fail('leases', 'nobody has led any feature yet', remedy);
  return pass('leases', `held: ${someOf(led)}`);
}
