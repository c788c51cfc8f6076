import type { Issues } from '../../check/issues.ts';
import { listOf, object, oneOf, string } from '../../check/shape.ts';
import {
  autogenShape,
  checkNames,
  commonFields,
  evaluationFields,
  isNamespacedKind,
  reportExpression,
  requireResourceRules,
  warnOfUnusedFields,
} from '../check.ts';
import type { KindPolicy } from '../types.ts';
import { warnOfTemplateNames } from './derived.ts';
import { compileExpressions } from './rule.ts';
import type { ValidatingSpec } from './types.ts';

export const validatingShape = object({
  ...commonFields,
  evaluation: object(evaluationFields('Kubernetes', 'JSON', 'HTTP', 'Envoy')),
  validations: listOf(
    object({ expression: string, message: string, messageExpression: string, reason: string }, ['expression']),
  ),
  auditAnnotations: listOf(object({ key: string, valueExpression: string }, ['key', 'valueExpression'])),
  validationActions: listOf(oneOf('Deny', 'Warn', 'Audit')),
  autogen: autogenShape('validatingAdmissionPolicy'),
});

export function checkValidating({ kind, spec }: KindPolicy<ValidatingSpec>, issues: Issues): void {
  requireResourceRules(spec, issues);
  if (!spec.validations?.length && !spec.auditAnnotations?.length)
    issues.error('policy-field-required', 'spec.validations', 'must not be empty');
  checkNames(spec.variables, 'spec.variables', issues);
  checkNames(spec.matchConditions, 'spec.matchConditions', issues);
  const { variables, conditions, validations, annotations } = compileExpressions(spec, isNamespacedKind(kind));
  for (const [i, expression] of [...variables.expressions.values()].entries()) {
    reportExpression(issues, `spec.variables[${i}].expression`, expression);
  }
  for (const [i, expression] of conditions.entries()) {
    reportExpression(issues, `spec.matchConditions[${i}].expression`, expression);
  }
  for (const [i, { expression, messageExpression }] of validations.entries()) {
    reportExpression(issues, `spec.validations[${i}].expression`, expression);
    if (messageExpression) reportExpression(issues, `spec.validations[${i}].messageExpression`, messageExpression);
  }
  for (const [i, { expression }] of annotations.entries()) {
    reportExpression(issues, `spec.auditAnnotations[${i}].valueExpression`, expression);
  }
  warnOfTemplateNames(spec, issues);
  warnOfUnusedFields(spec, issues);
}
