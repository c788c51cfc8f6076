import { boolType, CelCompileError, namesIn, nullType, stringType } from '../../cel/index.ts';
import { compileExpression, compileVariables, type Expression } from '../cel/index.ts';
import type { CelSpec } from '../types.ts';
import type { Issues } from './issues.ts';
import type { RuleCheck } from './rule-context.ts';

/**
 * `validate.cel`. A mistake in an expression is a warning, as upstream accepts such a policy: every object that the rule
 * is for is denied with it. What is not supported keeps the policy from running.
 */
export function checkCel({ rule, issues, path: rulePath }: RuleCheck, spec: CelSpec, path: string): void {
  if (!spec.expressions?.length) issues.error('policy-field-required', `${path}.expressions`, 'must not be empty');
  if (Boolean(spec.paramKind) !== Boolean(spec.paramRef)) {
    issues.error('policy-field-required', path, 'paramKind and paramRef are needed together');
  }
  if (spec.paramRef && Boolean(spec.paramRef.name) === Boolean(spec.paramRef.selector)) {
    issues.error('policy-field-conflict', `${path}.paramRef`, 'exactly one of name and selector must be specified');
  }
  const { expressions, declared } = compileVariables(spec.variables ?? [], Boolean(spec.paramKind && spec.paramRef));
  const tell = (place: string, expression: Expression) => report(issues, place, expression);
  for (const [i, { name }] of (spec.variables ?? []).entries()) {
    tell(`${path}.variables[${i}].expression`, expressions.get(name) as Expression);
  }
  for (const [i, { expression }] of (rule.celPreconditions ?? []).entries()) {
    tell(`${rulePath}.celPreconditions[${i}].expression`, compileExpression(expression, declared, [boolType]));
  }
  for (const [i, { expression, messageExpression }] of (spec.expressions ?? []).entries()) {
    const place = `${path}.expressions[${i}]`;
    tell(`${place}.expression`, compileExpression(expression, declared, [boolType]));
    if (messageExpression) {
      tell(`${place}.messageExpression`, compileExpression(messageExpression, declared, [stringType]));
    }
  }
  for (const [i, { valueExpression }] of (spec.auditAnnotations ?? []).entries()) {
    const place = `${path}.auditAnnotations[${i}].valueExpression`;
    tell(place, compileExpression(valueExpression, declared, [stringType, nullType]));
  }
}

function report(issues: Issues, path: string, expression: Expression): void {
  if (!('error' in expression)) return;
  if (usesAuthorizer(expression.source)) {
    issues.error('policy-unsupported', path, 'the authorizer of CEL expressions is not supported yet');
  } else issues.warn('policy-expression', path, `the rule denies every object: ${expression.error}`);
}

function usesAuthorizer(expression: string): boolean {
  try {
    return namesIn(expression).has('authorizer');
  } catch (thrown) {
    if (thrown instanceof CelCompileError) return false;
    throw thrown;
  }
}
