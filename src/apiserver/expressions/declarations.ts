import {
  authorizerType,
  boolType,
  type CelType,
  type Compiled,
  compileFor,
  dynType,
  jsonPatchListType,
  kubernetesEnvironment,
  namespaceType,
  objectType,
  requestType,
  resourceCheckType,
  structType,
  withMutations,
} from '../../cel/index.ts';

/** What an expression may refer to, by name; the values of an evaluation come in this order. */
export type ExpressionScope = ReadonlyMap<string, CelType>;

/** An expression with the names of its inputs. */
export interface Expression {
  readonly compiled: Compiled;
  readonly names: readonly string[];
}

export interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

interface ScopeOptions {
  readonly hasParams: boolean;
  /** A messageExpression has none. */
  readonly hasAuthorizer: boolean;
  readonly variables?: CelType | undefined;
}

export function scopeOf({ hasParams, hasAuthorizer, variables }: ScopeOptions): ExpressionScope {
  return new Map<string, CelType>([
    ['object', dynType],
    ['oldObject', dynType],
    ['namespaceObject', namespaceType],
    ['request', requestType],
    ...(hasParams ? ([['params', dynType]] as const) : []),
    ...(hasAuthorizer
      ? ([
          ['authorizer', authorizerType],
          ['authorizer.requestResource', resourceCheckType],
        ] as const)
      : []),
    ...(variables ? ([['variables', variables]] as const) : []),
  ]);
}

export function compileExpression(source: string, scope: ExpressionScope, types?: readonly CelType[]): Expression {
  return { compiled: compileFor(source, { variables: scope, types }), names: [...scope.keys()] };
}

const mutationEnvironment = withMutations(kubernetesEnvironment);
const mutationTypes = { ApplyConfiguration: objectType, JSONPatch: jsonPatchListType } as const;

export type PatchType = keyof typeof mutationTypes;

/** An expression of a mutation: it can write objects and patches. */
export function compileMutation(source: string, scope: ExpressionScope, patchType: PatchType): Expression {
  const types = [mutationTypes[patchType]];
  return {
    compiled: compileFor(source, { variables: scope, types, environment: mutationEnvironment }),
    names: [...scope.keys()],
  };
}

/** The match conditions of a webhook or a policy, which see no variables. */
export function compileConditions(
  conditions: readonly NamedExpression[],
  options: { readonly hasParams: boolean },
): readonly Expression[] {
  const scope = scopeOf({ ...options, hasAuthorizer: true });
  return conditions.map(({ expression }) => compileExpression(expression, scope, [boolType]));
}

interface CompiledVariables {
  readonly expressions: ReadonlyMap<string, Expression>;
  /** The type of `variables` for the expressions after them; undefined where there are none. */
  readonly type: CelType | undefined;
}

/**
 * Each variable sees those before it. One that does not compile has any type, and its error as its value. `types` are in
 * place of those of the scope.
 */
export function compileVariables(
  variables: readonly NamedExpression[],
  { hasParams, types = new Map() }: { readonly hasParams: boolean; readonly types?: ExpressionScope },
): CompiledVariables {
  const expressions = new Map<string, Expression>();
  const fields = new Map<string, CelType>();
  const typeNow = () => ({ ...structType('kubernetes.variables', {}), fields: new Map(fields) });
  for (const { name, expression } of variables) {
    const scope = new Map([...scopeOf({ hasParams, hasAuthorizer: true, variables: typeNow() }), ...types]);
    const compiled = compileExpression(expression, scope);
    expressions.set(name, compiled);
    fields.set(name, 'program' in compiled.compiled ? compiled.compiled.program.type : dynType);
  }
  return { expressions, type: variables.length === 0 ? undefined : typeNow() };
}
