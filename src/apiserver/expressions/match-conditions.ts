import type { Expression } from './declarations.ts';
import { type Bindings, BudgetError, conditionsBudget, Evaluation, type Result } from './evaluation.ts';

type MatchResult = { readonly matches: boolean } | { readonly error: string };

/**
 * Whether a request meets all conditions. One that is false decides, even where others fail; otherwise a failure is an
 * error, or no match if failures are ignored.
 */
export function matchConditions(
  conditions: readonly Expression[],
  failurePolicy: 'Fail' | 'Ignore',
  bindings: Bindings,
): MatchResult {
  const evaluation = new Evaluation(bindings, conditionsBudget);
  const results: Result[] = [];
  try {
    for (const condition of conditions) results.push(evaluation.evaluate(condition));
  } catch (thrown) {
    if (!(thrown instanceof BudgetError)) throw thrown;
    return failed([thrown.message], failurePolicy);
  }
  if (results.some((result) => 'value' in result && result.value === false)) return { matches: false };
  const errors = results.flatMap((result) => ('error' in result ? [result.error] : []));
  return errors.length === 0 ? { matches: true } : failed(errors, failurePolicy);
}

function failed(errors: readonly string[], failurePolicy: 'Fail' | 'Ignore'): MatchResult {
  if (failurePolicy === 'Ignore') return { matches: false };
  const distinct = [...new Set(errors)];
  return { error: distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]` };
}
