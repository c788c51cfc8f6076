import type { ExceptionProgram, MatchCondition, PolicyObject, PolicyProgram, RuleProgram } from '../policy/index.ts';
import { createPolicySet, type PolicySet } from '../runtime/index.ts';

type FailurePolicy = 'Fail' | 'Ignore';

/**
 * Policies that share one webhook: all of the whole cluster, or those of one namespace, so that the time-out or failure
 * of one tenant does not affect requests of another. Each group has one failurePolicy, matchPolicy and reinvocationPolicy;
 * a policy with match conditions has a webhook of its own.
 */
export interface PolicyGroup {
  /** The part of the webhook's path that names the group. */
  readonly route: string;
  readonly failurePolicy: FailurePolicy;
  readonly timeoutSeconds: number;
  readonly matchConditions: readonly MatchCondition[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
  /** The namespace of the policies; absent for a group of ClusterPolicies. */
  readonly namespace?: string | undefined;
  readonly programs: readonly PolicyProgram[];
  /** All mutate rules without targets. */
  readonly mutate: PolicySet;
  /** Rules that may deny or warn: evaluated before the response is sent. */
  readonly beforeResponse: PolicySet;
  /** Audit rules: evaluated after the response is sent. */
  readonly afterResponse: PolicySet;
}

const groupsOfSet = new WeakMap<PolicySet, ReadonlyMap<string, PolicyGroup>>();

/** The groups of a policy set, by route; computed once per set. */
export function groupsOf(set: PolicySet): ReadonlyMap<string, PolicyGroup> {
  let groups = groupsOfSet.get(set);
  if (!groups) groupsOfSet.set(set, (groups = makeGroups(set)));
  return groups;
}

function makeGroups({ programs, exceptions }: PolicySet): ReadonlyMap<string, PolicyGroup> {
  const byRoute = new Map<string, PolicyProgram[]>();
  for (const program of programs) {
    if (!program.settings.admission || !program.rules.some(isReviewed)) continue;
    const route = routeOf(program);
    const members = byRoute.get(route);
    if (members) members.push(program);
    else byRoute.set(route, [program]);
  }
  return new Map([...byRoute].map(([route, members]) => [route, makeGroup(route, members, exceptions)]));
}

function makeGroup(
  route: string,
  programs: readonly PolicyProgram[],
  exceptions: readonly ExceptionProgram[],
): PolicyGroup {
  const [first] = programs as readonly [PolicyProgram];
  const parts = programs.map(partsOf);
  return {
    route,
    failurePolicy: first.settings.failurePolicy,
    timeoutSeconds: Math.max(...programs.map((program) => timeoutOf(program))),
    matchConditions: conditionsOf(first, exceptions),
    matchPolicy: first.settings.matchPolicy,
    reinvocationPolicy: first.settings.reinvocationPolicy,
    namespace: first.namespace || undefined,
    programs,
    mutate: createPolicySet(parts.flatMap(({ mutate }) => mutate)),
    beforeResponse: createPolicySet(parts.flatMap(({ beforeResponse }) => beforeResponse)),
    afterResponse: createPolicySet(parts.flatMap(({ afterResponse }) => afterResponse)),
  };
}

/**
 * The conditions of a policy's webhook. Where one fails the API server refuses the request, even of an object that an
 * exception excuses: then the policy's conditions are evaluated here. Those of a classic policy are for webhooks only.
 */
export function conditionsOf(
  { policy, form, settings }: PolicyProgram,
  exceptions: readonly ExceptionProgram[],
): readonly MatchCondition[] {
  const { matchConditions, failurePolicy } = settings;
  if (form !== 'cel' || failurePolicy === 'Ignore' || matchConditions.length === 0) return matchConditions;
  const { name = '' } = policy.metadata;
  return exceptions.some(({ policies }) => policies.includes(name)) ? [] : matchConditions;
}

/** True for rules that admission evaluates. Generate rules and mutations of existing objects run elsewhere. */
export function isReviewed({ phase, actsOnOthers }: RuleProgram): boolean {
  return phase !== 'generate' && !actsOnOthers;
}

function withRules(programs: readonly PolicyProgram[], accepts: (rule: RuleProgram) => boolean): PolicyProgram[] {
  return programs.flatMap((program) => {
    const rules = program.rules.filter(accepts);
    return rules.length === 0 ? [] : [{ ...program, rules }];
  });
}

type Parts = Readonly<Record<'mutate' | 'beforeResponse' | 'afterResponse', readonly PolicyProgram[]>>;

const partsOfProgram = new WeakMap<PolicyProgram, Parts>();

/** The policy with the rules of each moment; computed once per program, for a set changes with each of its policies. */
function partsOf(program: PolicyProgram): Parts {
  let parts = partsOfProgram.get(program);
  if (!parts) {
    const mutate = withRules([program], ({ phase, actsOnOthers }) => phase === 'mutate' && !actsOnOthers);
    partsOfProgram.set(program, (parts = { mutate, ...splitRules(program) }));
  }
  return parts;
}

function splitRules(program: PolicyProgram): Omit<Parts, 'mutate'> {
  const isCheck = ({ phase }: RuleProgram) => phase === 'validate' || phase === 'verifyImages';
  const affectsResponse = (rule: RuleProgram) => program.settings.emitWarning || mayEnforce(program, rule);
  // With applyRules: One, a rule depends on the results of the rules before it, so the rules must stay together.
  if (program.applyOne && program.rules.some((rule) => isCheck(rule) && affectsResponse(rule)))
    return { beforeResponse: withRules([program], isCheck), afterResponse: [] };
  return {
    beforeResponse: withRules([program], (rule) => isCheck(rule) && affectsResponse(rule)),
    afterResponse: withRules([program], (rule) => isCheck(rule) && !affectsResponse(rule)),
  };
}

function mayEnforce({ policy }: PolicyProgram, rule: RuleProgram): boolean {
  const spec = policy['spec'] as Partial<PolicyObject['spec']>;
  const overrides = rule.spec.validate?.failureActionOverrides ?? spec.validationFailureActionOverrides ?? [];
  return overrides.length > 0 || rule.failureAction('', {}) === 'Enforce';
}

export function timeoutOf({ settings }: PolicyProgram): number {
  return Math.min(30, Math.max(1, settings.timeoutSeconds ?? 10));
}

/** The route of a policy's group. A Policy and a ClusterPolicy never share a route, whatever their names. */
export function routeOf({ policy, form, namespace, settings }: PolicyProgram): string {
  const base = settings.failurePolicy.toLowerCase();
  const shared = [
    namespace === '' ? base : `${base}/namespace/${namespace}`,
    // Only what differs from classic policies has a webhook of its own.
    ...(settings.matchPolicy === 'Exact' ? ['exact'] : []),
    ...(settings.reinvocationPolicy === 'Never' ? ['once'] : []),
  ].join('/');
  if (settings.matchConditions.length === 0) return shared;
  return `${shared}/policy/${form === 'cel' ? `${policy.kind.toLowerCase()}/` : ''}${policy.metadata.name}`;
}
