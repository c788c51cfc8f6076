import { lazy } from '../../../base/index.ts';
import { boolType, kubernetesEnvironment, nullType, pathsIn, stringType, withMutations } from '../../../cel/index.ts';
import { compileMatchConditions } from '../conditions.ts';
import { compileMutations } from '../mutating/expressions.ts';
import { compileKindExpression, compileKindVariables, scopeOf } from '../scope.ts';
import type { NativeSpec } from './types.ts';

const validating = lazy(() => ({ environment: kubernetesEnvironment, libraries: new Map(), hasParams: true }));
const mutating = lazy(() => ({
  environment: withMutations(kubernetesEnvironment),
  libraries: new Map(),
  hasParams: true,
}));

/** The expressions of an admission policy, compiled as the API server compiles them. */
export function compileNative(spec: NativeSpec, isMutating: boolean) {
  const language = isMutating ? mutating() : validating();
  const variables = compileKindVariables(spec.variables, language);
  const { scope } = variables;
  return {
    variables,
    conditions: compileMatchConditions(spec.matchConditions, scopeOf(language)),
    validations: (spec.validations ?? []).map(({ expression, message = '', messageExpression }) => ({
      expression: compileKindExpression(expression, scope, [boolType]),
      message: message.trim(),
      messageExpression: messageExpression ? compileKindExpression(messageExpression, scope, [stringType]) : undefined,
    })),
    mutations: compileMutations(spec.mutations, scope),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compileKindExpression(valueExpression, scope, [stringType, nullType]),
    })),
  };
}

export type NativeExpressions = ReturnType<typeof compileNative>;

/** All expressions as they are written. */
export const writtenIn = (spec: NativeSpec): readonly string[] => [
  ...(spec.validations ?? []).flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]),
  ...(spec.mutations ?? []).map(
    ({ applyConfiguration, jsonPatch }) => (applyConfiguration ?? jsonPatch)?.expression ?? '',
  ),
  ...(spec.auditAnnotations ?? []).map(({ valueExpression }) => valueExpression),
  ...[...(spec.variables ?? []), ...(spec.matchConditions ?? [])].map(({ expression }) => expression),
];

/** Kyverno gives what a selector finds as one list; the API server evaluates the policy once for each. */
export const readsParamsAsList = (spec: NativeSpec): boolean =>
  writtenIn(spec)
    .filter((expression) => expression !== '')
    .some((expression) => pathsIn(expression).some(([root, field]) => root === 'params' && field === 'items'));
