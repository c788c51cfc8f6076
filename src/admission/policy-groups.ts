import type { PolicyObject, PolicyProgram, RuleProgram } from '../policy/index.ts';
import { createPolicySet, type PolicySet } from '../runtime/index.ts';

export type FailurePolicy = 'Fail' | 'Ignore';

/**
 * Policies that share one webhook: ClusterPolicies, or those of one namespace, so that no tenant's time-out or failure
 * reaches another's requests. Those with match conditions of their own have one each.
 */
export interface PolicyGroup {
  /** The part of the webhook's path that names the group. */
  readonly route: string;
  readonly failurePolicy: FailurePolicy;
  readonly timeoutSeconds: number;
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  /** The namespace of its policies; absent for a group of ClusterPolicies. */
  readonly namespace?: string | undefined;
  readonly programs: readonly PolicyProgram[];
  /** Every rule that mutates. */
  readonly mutate: PolicySet;
  /** Rules that may refuse or warn: they are judged before the answer. */
  readonly now: PolicySet;
  /** Rules that only tell: they are judged after it. */
  readonly later: PolicySet;
}

const groupsOfSet = new WeakMap<PolicySet, ReadonlyMap<string, PolicyGroup>>();

/** The groups of a policy set, by route; worked out once per set. */
export function groupsOf(set: PolicySet): ReadonlyMap<string, PolicyGroup> {
  let groups = groupsOfSet.get(set);
  if (!groups) groupsOfSet.set(set, (groups = makeGroups(set.programs)));
  return groups;
}

function makeGroups(programs: readonly PolicyProgram[]): ReadonlyMap<string, PolicyGroup> {
  const byRoute = new Map<string, PolicyProgram[]>();
  for (const program of programs) {
    if (program.policy.spec.admission === false || !program.rules.some(isReviewed)) continue;
    const route = routeOf(program);
    const members = byRoute.get(route);
    if (members) members.push(program);
    else byRoute.set(route, [program]);
  }
  return new Map([...byRoute].map(([route, members]) => [route, makeGroup(route, members)]));
}

function makeGroup(route: string, programs: readonly PolicyProgram[]): PolicyGroup {
  const [{ policy }] = programs as readonly [PolicyProgram];
  const split = programs.map(splitRules);
  return {
    route,
    failurePolicy: failurePolicyOf(policy),
    timeoutSeconds: Math.max(...programs.map((program) => timeoutOf(program.policy))),
    matchConditions: matchConditionsOf(policy),
    namespace: namespaceOf(policy),
    programs,
    mutate: createPolicySet(withRules(programs, ({ phase, actsOnOthers }) => phase === 'mutate' && !actsOnOthers)),
    now: createPolicySet(split.flatMap(({ now }) => now)),
    later: createPolicySet(split.flatMap(({ later }) => later)),
  };
}

/** Rules that requests are judged by. What changes or makes other objects goes other ways. */
export function isReviewed({ phase, actsOnOthers }: RuleProgram): boolean {
  return phase !== 'generate' && !actsOnOthers;
}

function withRules(programs: readonly PolicyProgram[], takes: (rule: RuleProgram) => boolean): PolicyProgram[] {
  return programs.flatMap((program) => {
    const rules = program.rules.filter(takes);
    return rules.length === 0 ? [] : [{ ...program, rules }];
  });
}

function splitRules(program: PolicyProgram): { readonly now: PolicyProgram[]; readonly later: PolicyProgram[] } {
  const judges = ({ phase }: RuleProgram) => phase === 'validate' || phase === 'verifyImages';
  const isUrgent = (rule: RuleProgram) => program.policy.spec.emitWarning === true || mayEnforce(program.policy, rule);
  // Of a policy that applies one rule only, no rule may be judged without those before it.
  if (program.applyOne && program.rules.some((rule) => judges(rule) && isUrgent(rule)))
    return { now: withRules([program], judges), later: [] };
  return {
    now: withRules([program], (rule) => judges(rule) && isUrgent(rule)),
    later: withRules([program], (rule) => judges(rule) && !isUrgent(rule)),
  };
}

function mayEnforce({ spec }: PolicyObject, rule: RuleProgram): boolean {
  const overrides = rule.spec.validate?.failureActionOverrides ?? spec.validationFailureActionOverrides ?? [];
  return overrides.length > 0 || rule.failureAction('', {}) === 'Enforce';
}

interface WebhookConfiguration {
  readonly failurePolicy?: FailurePolicy;
  readonly timeoutSeconds?: number;
  readonly matchConditions?: PolicyGroup['matchConditions'];
}

const webhookOf = ({ spec }: PolicyObject) => (spec.webhookConfiguration ?? {}) as WebhookConfiguration;

export function failurePolicyOf(policy: PolicyObject): FailurePolicy {
  return webhookOf(policy).failurePolicy ?? policy.spec.failurePolicy ?? 'Fail';
}

function timeoutOf(policy: PolicyObject): number {
  const seconds = webhookOf(policy).timeoutSeconds ?? policy.spec.webhookTimeoutSeconds ?? 10;
  return Math.min(30, Math.max(1, seconds));
}

function matchConditionsOf(policy: PolicyObject): PolicyGroup['matchConditions'] {
  return webhookOf(policy).matchConditions ?? [];
}

function namespaceOf({ kind, metadata }: PolicyObject): string | undefined {
  return kind === 'Policy' ? (metadata.namespace ?? 'default') : undefined;
}

/** The group that a policy belongs to. No route of a namespaced policy can be that of a ClusterPolicy, whatever its name. */
export function routeOf({ policy }: PolicyProgram): string {
  const namespace = namespaceOf(policy);
  const base = failurePolicyOf(policy).toLowerCase();
  const shared = namespace === undefined ? base : `${base}/namespace/${namespace}`;
  return matchConditionsOf(policy).length > 0 ? `${shared}/policy/${policy.metadata.name}` : shared;
}
