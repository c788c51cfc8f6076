import { errorMessage } from '../../../base/index.ts';
import { applyConfiguration, applyPatchValue, type MutationResult } from '../../../mutation/index.ts';
import { deepEqual, type KubeObject } from '../../../object/index.ts';
import type { Schema } from '../../../schema/index.ts';
import {
  type Bindings,
  BudgetError,
  compileConditions,
  compileMutation,
  compileVariables,
  Evaluation,
  type Expression,
  type PatchType,
  policyBudget,
  scopeOf,
} from '../../expressions/index.ts';
import { type MutatingSpec, type Mutation, specOf } from './types.ts';

interface CompiledMutation {
  readonly patchType: PatchType;
  readonly expression: Expression;
}

export interface MutatingPolicy {
  readonly spec: MutatingSpec;
  readonly conditions: readonly Expression[];
  readonly variables: ReadonlyMap<string, Expression>;
  readonly mutations: readonly CompiledMutation[];
}

export function compileMutatingPolicy(object: KubeObject): MutatingPolicy {
  const spec = specOf<MutatingSpec>(object);
  const hasParams = spec.paramKind !== undefined;
  const { expressions, type: variables } = compileVariables(spec.variables ?? [], { hasParams });
  const scope = scopeOf({ hasParams, hasAuthorizer: true, variables });
  return {
    spec,
    conditions: compileConditions(spec.matchConditions ?? [], { hasParams }),
    variables: expressions,
    mutations: spec.mutations.map((mutation) => ({
      patchType: mutation.patchType,
      expression: compileMutation(expressionOf(mutation), scope, mutation.patchType),
    })),
  };
}

const expressionOf = (mutation: Mutation) =>
  (mutation.patchType === 'JSONPatch' ? mutation.jsonPatch : mutation.applyConfiguration).expression;

interface MutationInput {
  /** In the version that the policy wants; its expressions see it as `object`. */
  readonly object: KubeObject;
  readonly bindings: Bindings;
  readonly schema: Schema | undefined;
  /** Fills in defaults and checks types; throws for an object that does not fit its kind. */
  readonly redecode: (object: KubeObject) => KubeObject;
}

/** Applies the mutations one after the other; one that fails is left out. */
export function applyMutations(
  { mutations, variables }: MutatingPolicy,
  { object, bindings, schema, redecode }: MutationInput,
  onError: (message: string) => void,
): KubeObject {
  let current = object;
  for (const mutation of mutations) {
    const result = mutated(mutation, current, { ...bindings, object: current }, variables, schema);
    if ('error' in result) {
      onError(result.error);
      continue;
    }
    try {
      const decoded = redecode(result.object);
      if (!deepEqual(decoded, current)) current = decoded;
    } catch (thrown) {
      onError(errorMessage(thrown));
    }
  }
  return current;
}

function mutated(
  { patchType, expression }: CompiledMutation,
  object: KubeObject,
  bindings: Bindings,
  variables: ReadonlyMap<string, Expression>,
  schema: Schema | undefined,
): MutationResult {
  try {
    // Each mutation has a budget and variables of its own, as each sees another object.
    const result = new Evaluation(bindings, policyBudget, variables).evaluate(expression);
    if ('error' in result) return result;
    return patchType === 'JSONPatch'
      ? applyPatchValue(object, result.value)
      : applyConfiguration(object, result.value, { schema, allowsAtomic: false });
  } catch (thrown) {
    if (thrown instanceof BudgetError) return { error: thrown.message };
    throw thrown;
  }
}
