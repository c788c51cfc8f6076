import { isJsonObject } from '../../base/index.ts';
import type { WorkBudget } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import type { Run } from './run.ts';

/**
 * The work budget of one rule on one request, in units of expressions (about 30 ns each). Without it, nested loops over
 * a long list would block all other requests for minutes.
 */
const ruleUnits = 10_000_000;
/** For rules of a namespaced policy, which any user of the namespace may have written: about 15 ms. */
const namespacedRuleUnits = 500_000;

/** The remaining budget of one request over all phases, separate for ClusterPolicies and namespaced policies. */
export interface RequestBudget {
  clusterUnits: number;
  namespacedUnits: number;
}

export function newRequestBudget(): RequestBudget {
  return { clusterUnits: 3 * ruleUnits, namespacedUnits: 4 * namespacedRuleUnits };
}

/** An evaluation pauses after this much work (about 1.5 ms), so that others get a turn. */
export const heavyUnits = 50_000;

/** The cost of one loop element with its scope layer. */
export const elementUnits = 100;

/** The budget of one rule: the limit per rule, or what is left for its kind of policy on this request. */
export function ruleBudget(request: RequestBudget, policyNamespace: string): WorkBudget {
  const left =
    policyNamespace === ''
      ? Math.min(ruleUnits, request.clusterUnits)
      : Math.min(namespacedRuleUnits, request.namespacedUnits);
  return { left };
}

/** Subtracts what a rule used from the budget of the request. */
export function settleRule(request: RequestBudget, policyNamespace: string, used: number): void {
  if (policyNamespace === '') request.clusterUnits -= used;
  else request.namespacedUnits -= used;
}

/** Subtracts from the budget that a rule shares with its expressions; throws when it is exceeded. */
export function spend({ budget }: Run, units: number): void {
  if ((budget.left -= units) < 0)
    throw new PolicyError('policy-work-limit', 'the rule takes too much work on this object');
}

/** The number of values in a document. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 1);
  if (!isJsonObject(value)) return 1;
  return Object.values(value).reduce((sum: number, field) => sum + sizeOf(field), 1);
}
