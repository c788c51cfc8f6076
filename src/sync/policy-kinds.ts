import { SupercargoError } from '../base/index.ts';
import type { DiscoveredType, Discovery, ResourceType } from '../kube/index.ts';
import { parseApiVersion } from '../object/index.ts';

const policyGroups: readonly string[] = ['kyverno.io', 'policies.kyverno.io'];
const neededVerbs = ['create', 'delete', 'get', 'list', 'update'];

/** The Kyverno policy kinds that the cluster serves. */
export interface PolicyKinds {
  /** One type per kind, in the preferred version of its group. */
  readonly listed: readonly ResourceType[];
  find(apiVersion: string, kind: string): ResourceType | undefined;
}

class PolicyKindsError extends SupercargoError {}

/** Uses fresh discovery: for a missing kind all policies would look deleted. */
export async function discoverPolicyKinds(discovery: Discovery, signal: AbortSignal): Promise<PolicyKinds> {
  discovery.invalidate();
  const types = await discovery.list({ signal });
  const failure = discovery.failures.find(({ group }) => policyGroups.includes(group));
  if (failure !== undefined)
    throw new PolicyKindsError(
      'sync-kinds-unknown',
      `the cluster cannot describe ${failure.group}/${failure.version} now: ${failure.message}`,
      { retry: 'backoff' },
    );
  return policyKindsOf(types);
}

/** Every kind of those groups whose name ends in Policy. A PolicyException is not a policy and cannot be synced. */
export function policyKindsOf(types: readonly DiscoveredType[]): PolicyKinds {
  const policies = types.filter(
    ({ group, kind, verbs }) =>
      policyGroups.includes(group) && kind.endsWith('Policy') && neededVerbs.every((verb) => verbs.includes(verb)),
  );
  // Some kinds exist only in a version that their group does not prefer.
  const listed = new Map<string, DiscoveredType>();
  for (const type of policies) {
    const key = `${type.kind}.${type.group}`;
    const known = listed.get(key);
    if (known === undefined || (type.isPreferredVersion && !known.isPreferredVersion)) listed.set(key, type);
  }
  return {
    listed: [...listed.values()],
    find(apiVersion, kind) {
      const { group, version } = parseApiVersion(apiVersion);
      return policies.find((type) => type.kind === kind && type.group === group && type.version === version);
    },
  };
}
