import { isJsonObject } from '../../base/index.ts';
import type { WorkBudget } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import type { Run } from './run.ts';

/**
 * Work that one rule may do on one request, in the units of expressions (some 30 ns each): loops in loops over a long
 * list would otherwise hold up every other request for minutes.
 */
const ruleUnits = 10_000_000;

/** An element of a loop, with its layer of variables. */
export const elementUnits = 100;

export function newBudget(): WorkBudget {
  return { left: ruleUnits };
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
