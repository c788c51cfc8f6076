import { CelError, CelUnknown, callCostLimit, toJson } from '../../cel/index.ts';
import type { TraceStep } from '../run/trace.ts';
import type { Expression } from './expression.ts';

/** Reports an expression that has been evaluated. */
export type TraceExpression = (where: string, expression: Expression, value: unknown) => void;

/**
 * Reports expressions with the values of their parts. Those are evaluated once more, for which all expressions of a rule
 * have one budget besides that of the rule: an explanation comes to the same result as an evaluation.
 */
export function createExpressionTrace(
  inputs: () => readonly unknown[],
  trace: ((step: TraceStep) => void) | undefined,
): TraceExpression | undefined {
  if (!trace) return undefined;
  let left = callCostLimit;
  const stepsOf = (expression: Expression) => {
    if ('error' in expression || left <= 0) return [];
    const { steps, cost } = expression.program.explain(inputs(), left);
    left -= cost;
    return steps;
  };
  return (where, expression, value) => {
    if (value instanceof CelUnknown) return;
    const steps = stepsOf(expression);
    trace({
      kind: 'expression',
      where,
      expression: expression.source,
      ...(value instanceof CelError ? { error: value.message } : { value: toJson(value) }),
      ...(steps.length > 0 ? { steps } : {}),
    });
  };
}
