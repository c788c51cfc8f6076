import { lazy, setOwn } from '../../base/index.ts';
import {
  CelError,
  type CelType,
  dynType,
  type Evaluated,
  LazyMap,
  namespaceType,
  requestType,
  structType,
  type Variables,
} from '../../cel/index.ts';
import { compileExpression, type Expression } from './expression.ts';
import type { TraceExpression } from './trace.ts';

interface VariableSpec {
  readonly name: string;
  readonly expression: string;
}

/** The variables of a rule, each with the expressions before it in sight. */
export interface RuleVariables {
  readonly expressions: ReadonlyMap<string, Expression>;
  /** All that the expressions of the rule see, in the order of their inputs. */
  readonly declared: Variables;
}

/** The order of the inputs of every expression. */
const base = (hasParams: boolean, variables: CelType): Variables =>
  new Map([
    ['object', dynType],
    ['oldObject', dynType],
    ['request', requestType],
    ['namespaceObject', namespaceType],
    ['variables', variables],
    ...(hasParams ? ([['params', dynType]] as const) : []),
  ]);

export function compileVariables(specs: readonly VariableSpec[], hasParams: boolean): RuleVariables {
  const expressions = new Map<string, Expression>();
  const fields: Record<string, CelType> = {};
  for (const { name, expression } of specs) {
    const compiled = compileExpression(expression, base(hasParams, variablesType(fields)));
    expressions.set(name, compiled);
    setOwn(fields, name, 'program' in compiled ? compiled.program.type : dynType);
  }
  return { expressions, declared: base(hasParams, variablesType(fields)) };
}

const variablesType = (fields: Readonly<Record<string, CelType>>) => structType('kubernetes.variables', fields);

const variableValues = lazy(() => {
  class VariableValues extends LazyMap {
    private readonly values = new Map<string, unknown>();

    constructor(
      private readonly expressions: ReadonlyMap<string, Expression>,
      private readonly evaluate: (expression: Expression & { program: unknown }) => Evaluated,
      private readonly trace?: TraceExpression | undefined,
    ) {
      super();
    }

    get(name: string): unknown {
      const known = this.values.get(name);
      if (known !== undefined) return known;
      const expression = this.expressions.get(name);
      if (!expression) return undefined;
      const value = this.work(name, expression);
      this.values.set(name, value);
      this.trace?.(`variables.${name}`, expression, value);
      return value;
    }

    keys(): readonly string[] {
      return [...this.expressions.keys()];
    }

    private work(name: string, expression: Expression): unknown {
      const quoted = JSON.stringify(name);
      if ('error' in expression) {
        return new CelError(`composited variable ${quoted} fails to compile: ${expression.error}`);
      }
      const { value } = this.evaluate(expression as Expression & { program: unknown });
      if (!(value instanceof CelError)) return value;
      return new CelError(`composited variable ${quoted} fails to evaluate: ${value.message}`);
    }
  }
  return VariableValues;
});

/** Evaluates variables when they are selected, each at most once, its error included. */
export function createVariableValues(
  expressions: ReadonlyMap<string, Expression>,
  evaluate: (expression: Expression & { program: unknown }) => Evaluated,
  trace?: TraceExpression | undefined,
): LazyMap {
  return new (variableValues())(expressions, evaluate, trace);
}
