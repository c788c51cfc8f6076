import {
  anyType,
  jsonPatchListType,
  mapType,
  nullType,
  objectType,
  policyLanguage,
  stringType,
} from '../../../cel/index.ts';
import type { Expression } from '../../cel/index.ts';
import { compileMatchConditions } from '../conditions.ts';
import { compileKindExpression, compileKindVariables, type KindScope } from '../scope.ts';
import type { MutatingSpec, MutationSpec } from './types.ts';

export interface Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly expression: Expression;
}

export function compileMutations(mutations: readonly MutationSpec[] = [], scope: KindScope): readonly Mutation[] {
  return mutations.flatMap(({ patchType, applyConfiguration, jsonPatch }): readonly Mutation[] => {
    if (patchType === 'ApplyConfiguration' && applyConfiguration) {
      return [{ patchType, expression: compileKindExpression(applyConfiguration.expression, scope, [objectType]) }];
    }
    if (patchType !== 'JSONPatch' || !jsonPatch) return [];
    return [{ patchType, expression: compileKindExpression(jsonPatch.expression, scope, [jsonPatchListType]) }];
  });
}

/** The expressions of a MutatingPolicy, compiled. Its conditions see variables, unlike those of other kinds. */
export function compileMutating(spec: MutatingSpec, isNamespaced: boolean) {
  const variables = compileKindVariables(spec.variables, policyLanguage('mutate', isNamespaced));
  const { scope } = variables;
  const targets = spec.targetMatchConstraints?.expression;
  return {
    variables,
    conditions: compileMatchConditions(spec.matchConditions, scope),
    targetConditions: compileMatchConditions(spec.targetMatchConditions, scope),
    targets: targets ? compileKindExpression(targets, scope, [mapType(stringType, anyType)]) : undefined,
    mutations: compileMutations(spec.mutations, scope),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compileKindExpression(valueExpression, scope, [stringType, nullType]),
    })),
  };
}

export type MutatingExpressions = ReturnType<typeof compileMutating>;
