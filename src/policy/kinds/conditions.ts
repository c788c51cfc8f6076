import { CelError } from '../../cel/index.ts';
import type { Expression } from '../cel/index.ts';
import type { KindEvaluator } from './evaluator.ts';
import { compileKindExpression, type KindScope, onlyBool } from './scope.ts';
import type { NamedExpression } from './types.ts';

export const compileMatchConditions = (conditions: readonly NamedExpression[] = [], scope: KindScope) =>
  conditions.map(({ expression }) => compileKindExpression(expression, scope, onlyBool()));

/** False as soon as one is false, whatever else fails; otherwise the errors, if there are any. */
export function judgeConditions(
  conditions: readonly Expression[],
  evaluator: KindEvaluator,
  where = 'matchConditions',
): boolean | { readonly error: string } {
  if (conditions.length === 0) return true;
  const errors: string[] = [];
  for (const condition of conditions) {
    const value = evaluator.evaluate(condition, where);
    if (value === false) return false;
    if (value instanceof CelError) errors.push(value.message);
    else if (value !== true) errors.push('no such overload');
  }
  return errors.length === 0 ? true : { error: errors.join('; ') };
}
