import { SupercargoError } from '../base/index.ts';
import type { DiscoveredType, Discovery, ResourceType } from '../kube/index.ts';
import { parseApiVersion } from '../object/index.ts';

const policyGroups: readonly string[] = ['kyverno.io', 'policies.kyverno.io'];
const neededVerbs = ['create', 'delete', 'get', 'list', 'update'];

/** The policy kinds of Kyverno that the cluster serves. */
export interface PolicyKinds {
  /** One type a kind, in the version its group prefers. */
  readonly listed: readonly ResourceType[];
  find(apiVersion: string, kind: string): ResourceType | undefined;
}

export class PolicyKindsError extends SupercargoError {}

/** Asks the cluster afresh: a kind that is overlooked would look as if all its policies were gone. */
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

/** Every kind of those groups whose name ends in Policy; a PolicyException is none, and cannot be synced. */
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
