import { CelError, CelUnknown, callCostLimit, type PolicyLanguage, type Program } from '../../cel/index.ts';
import { gvkOf, type KubeObject } from '../../object/index.ts';
import { builtinSchemaOf, type Schema } from '../../schema/index.ts';
import { createExpressionTrace, createVariableValues, type Expression } from '../cel/index.ts';
import { findAnswer, type LookUp, Need } from '../context/index.ts';
import { spend } from '../run/budget.ts';
import type { Run } from '../run/run.ts';
import { type InputSources, KindInputs } from './inputs.ts';
import type { GenerateObjects } from './libraries.ts';
import type { KindVariables } from './scope.ts';

/**
 * Evaluates the expressions of one policy on one request, with the budget of the rule for all of them. What is not known
 * yet is asked for: all that one expression needs at once.
 */
export class KindEvaluator implements InputSources {
  private readonly inputs: KindInputs;
  private readonly trace: ReturnType<typeof createExpressionTrace>;

  constructor(
    readonly run: Run,
    readonly allowances: unknown,
    private readonly variables: KindVariables,
    readonly generate?: GenerateObjects,
  ) {
    this.trace = createExpressionTrace(() => this.inputs.values, run.trace);
    this.inputs = new KindInputs(this);
  }

  get language(): PolicyLanguage {
    return this.variables.scope.language;
  }

  makeVariables(): ReturnType<typeof createVariableValues> {
    const { expressions } = this.variables;
    return createVariableValues(expressions, (expression) => this.spendOn(expression.program as Program), this.trace);
  }

  /** From here on expressions see another object, such as what the mutations so far have made of it. */
  seeObject(object: KubeObject): void {
    this.inputs.setObject(object);
  }

  /** There is no request where a schedule asks. */
  hideRequest(): void {
    this.inputs.hideRequest();
  }

  /** A value, or an error; throws Need for what must be looked up first. */
  evaluate(expression: Expression, where: string): unknown {
    const value = 'error' in expression ? new CelError(expression.error) : this.spendOn(expression.program).value;
    if (value instanceof CelUnknown) throw new Need(value.needs as readonly LookUp[]);
    this.trace?.(where, expression, value);
    return value;
  }

  /** How objects of a kind are merged; undefined where nobody knows their schema. Throws Need for a custom kind's. */
  schemaOf(object: KubeObject): Schema | CelError | undefined {
    const { group, version, kind } = gvkOf(object);
    const builtin = builtinSchemaOf({ group, version, kind });
    if (builtin) return builtin;
    const { apiVersion } = object;
    const { answer, lookUp } = findAnswer(this.run.context, { kind: 'schema', apiVersion, resourceKind: kind });
    if (answer === undefined) throw new Need([lookUp]);
    if (!answer.ok) return new CelError(`the schema of ${apiVersion} ${kind} is not known: ${answer.message}`);
    return (answer.value ?? undefined) as Schema | undefined;
  }

  /** Takes work that no expression does from the budget of the rule; `measure` need not count beyond what is left. */
  charge(measure: (left: number) => number): void {
    spend(this.run, measure(Math.min(callCostLimit, this.run.budget.left)));
  }

  private spendOn(program: Program) {
    const allowed = Math.min(callCostLimit, this.run.budget.left);
    this.inputs.provide(program.reads);
    const result = program.evaluate(this.inputs.values, allowed);
    spend(this.run, result.cost);
    return result;
  }
}
