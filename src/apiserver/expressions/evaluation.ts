import { SupercargoError } from '../../base/index.ts';
import { CelError, LazyMap } from '../../cel/index.ts';
import type { Expression } from './declarations.ts';

/** The expressions together cost more than they may; no further one is evaluated. */
export class BudgetError extends SupercargoError {
  constructor() {
    super('cel-cost', 'validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The values that expressions see, by name; a name that is absent has no value. */
export type Bindings = Readonly<Record<string, unknown>>;

/** What all validations and messages of one policy, binding and param may cost for one request. */
export const policyBudget = 10_000_000;
/** What the match conditions of one webhook or policy may cost. */
export const conditionsBudget = 2_500_000;

export type Result = { readonly value: unknown } | { readonly error: string };

/** One request as several expressions see it, with one budget. Variables are worked out at most once. */
export class Evaluation {
  private readonly bindings: Bindings;
  private variablesCost = 0;

  constructor(
    bindings: Bindings,
    private budget: number,
    variables: ReadonlyMap<string, Expression> = new Map(),
  ) {
    this.bindings = { ...bindings, variables: new Variables(variables, (expression) => this.variable(expression)) };
  }

  get left(): number {
    return this.budget;
  }

  /** Throws BudgetError. */
  evaluate({ compiled, names }: Expression): Result {
    if ('error' in compiled) return { error: `compilation error: ${compiled.error}` };
    const { value, cost } = compiled.program.evaluate(this.inputs(names));
    const total = cost + this.variablesCost;
    this.variablesCost = 0;
    if (total > this.budget) throw new BudgetError();
    this.budget -= total;
    if (!(value instanceof CelError)) return { value };
    return { error: `expression '${compiled.source}' resulted in error: ${value.message}` };
  }

  private variable({ compiled, names }: Ready): unknown {
    const { value, cost } = compiled.program.evaluate(this.inputs(names));
    this.variablesCost += cost;
    return value;
  }

  private inputs(names: readonly string[]): readonly unknown[] {
    return names.map((name) => this.bindings[name]);
  }
}

type Ready = Expression & { readonly compiled: Extract<Expression['compiled'], { program: unknown }> };

class Variables extends LazyMap {
  private readonly values = new Map<string, unknown>();

  constructor(
    private readonly expressions: ReadonlyMap<string, Expression>,
    private readonly evaluate: (expression: Ready) => unknown,
  ) {
    super();
  }

  get(name: string): unknown {
    if (this.values.has(name)) return this.values.get(name);
    const expression = this.expressions.get(name);
    if (!expression) return undefined;
    const value = this.work(name, expression);
    this.values.set(name, value);
    return value;
  }

  keys(): readonly string[] {
    return [...this.expressions.keys()];
  }

  private work(name: string, expression: Expression): unknown {
    const quoted = JSON.stringify(name);
    if ('error' in expression.compiled) {
      return new CelError(`composited variable ${quoted} fails to compile: ${expression.compiled.error}`);
    }
    const value = this.evaluate(expression as Ready);
    if (!(value instanceof CelError)) return value;
    return new CelError(`composited variable ${quoted} fails to evaluate: ${value.message}`);
  }
}
