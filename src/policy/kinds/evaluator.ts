import { CelError, CelUnknown, callCostLimit, type Program, toJson } from '../../cel/index.ts';
import { type Expression, VariableValues } from '../cel/index.ts';
import { type LookUp, Need } from '../context/index.ts';
import { spend } from '../run/budget.ts';
import type { Run } from '../run/run.ts';
import { type Allowances, inputsOf, type KindVariables } from './scope.ts';

/**
 * Evaluates the expressions of one policy on one request, with the budget of the rule for all of them. What is not known
 * yet is asked for: all that one expression needs at once.
 */
export class KindEvaluator {
  private readonly inputs: readonly unknown[];

  constructor(
    private readonly run: Run,
    allowances: Allowances,
    variables?: KindVariables,
  ) {
    const values =
      variables &&
      new VariableValues(variables.expressions, (expression) => this.spendOn(expression.program as Program), run.trace);
    this.inputs = inputsOf(run, allowances, values);
  }

  /** A value, or an error; throws Need for what must be looked up first. */
  evaluate(expression: Expression, where: string): unknown {
    const { trace } = this.run;
    const value = 'error' in expression ? new CelError(expression.error) : this.spendOn(expression.program).value;
    if (value instanceof CelUnknown) throw new Need(value.needs as readonly LookUp[]);
    trace?.({
      kind: 'expression',
      where,
      expression: expression.source,
      ...(value instanceof CelError ? { error: value.message } : { value: toJson(value) }),
    });
    return value;
  }

  private spendOn(program: Program) {
    const allowed = Math.min(callCostLimit, this.run.environment.budget?.left ?? callCostLimit);
    const result = program.evaluate(this.inputs, allowed);
    spend(this.run, result.cost);
    return result;
  }
}
