import { isJsonObject } from '../../base/index.ts';
import type { WorkBudget } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import type { Run } from './run.ts';

/**
 * Work that one rule may do on one request, in the units of expressions (some 30 ns each): loops in loops over a long
 * list would otherwise hold up every other request for minutes.
 */
const ruleUnits = 10_000_000;
/** Of a namespaced policy, which anybody in the namespace may have written: some 15 ms. */
const namespacedRuleUnits = 500_000;

/** What all rules may still do on one request, in all phases together: each set of policies has its own share. */
export interface RequestBudget {
  clusterUnits: number;
  namespacedUnits: number;
}

export function newRequestBudget(): RequestBudget {
  return { clusterUnits: 3 * ruleUnits, namespacedUnits: 4 * namespacedRuleUnits };
}

/** So much work in one go, some 1.5 ms, is heavy: others get a turn after it. */
export const heavyUnits = 50_000;

/** An element of a loop, with its layer of variables. */
export const elementUnits = 100;

/** The budget of one rule: its own limit, or what its set of policies has left for the request. */
export function ruleBudget(request: RequestBudget, policyNamespace: string): WorkBudget {
  const left =
    policyNamespace === ''
      ? Math.min(ruleUnits, request.clusterUnits)
      : Math.min(namespacedRuleUnits, request.namespacedUnits);
  return { left };
}

/** Takes what a rule has used off what its set of policies has left. */
export function settleRule(request: RequestBudget, policyNamespace: string, used: number): void {
  if (policyNamespace === '') request.clusterUnits -= used;
  else request.namespacedUnits -= used;
}

/** Takes work off the budget that a rule shares with its expressions. */
export function spend({ environment: { budget } }: Run, units: number): void {
  if (budget && (budget.left -= units) < 0)
    throw new PolicyError('policy-work-limit', 'the rule takes too much work on this object: its loops visit too much');
}

/** How many values a document holds. */
export function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 1);
  if (!isJsonObject(value)) return 1;
  return Object.values(value).reduce((sum: number, field) => sum + sizeOf(field), 1);
}
