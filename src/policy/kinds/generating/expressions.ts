import { boolType, nullType, policyLanguage, stringType } from '../../../cel/index.ts';
import type { Expression } from '../../cel/index.ts';
import { compileMatchConditions } from '../conditions.ts';
import { compileKindExpression, compileKindVariables, scopeOf } from '../scope.ts';
import { compileTemplate, type Template } from './template.ts';
import type { GeneratingSpec } from './types.ts';

export type Generation =
  | { readonly expression: Expression }
  | { readonly template: Template | { readonly error: string } };

/** The expressions of a GeneratingPolicy, compiled. */
export function compileGenerating(spec: GeneratingSpec, isNamespaced: boolean) {
  const language = policyLanguage('generate', isNamespaced);
  const variables = compileKindVariables(spec.variables, language);
  const { scope } = variables;
  return {
    variables,
    conditions: compileMatchConditions(spec.matchConditions, scopeOf(language)),
    generations: (spec.generate ?? []).map(({ expression, template }): Generation => {
      if (template) return { template: compileTemplate(template, scope) };
      return { expression: compileKindExpression(expression ?? '', scope, [boolType]) };
    }),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      expression: compileKindExpression(valueExpression, scope, [stringType, nullType]),
    })),
  };
}
