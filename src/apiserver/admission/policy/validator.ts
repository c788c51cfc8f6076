import { boolType, nullType, stringType } from '../../../cel/index.ts';
import type { KubeObject } from '../../../object/index.ts';
import {
  type Bindings,
  BudgetError,
  compileConditions,
  compileExpression,
  compileVariables,
  Evaluation,
  type Expression,
  matchConditions,
  policyBudget,
  scopeOf,
} from '../../expressions/index.ts';
import { specOf, type ValidatingSpec } from './types.ts';

/** A validation that did not hold, or could not be evaluated. */
export interface Decision {
  readonly message: string;
  /** Absent for an error. */
  readonly reason?: string;
}

interface CompiledValidation {
  readonly expression: Expression;
  readonly messageExpression: Expression | undefined;
  readonly message: string;
  readonly reason: string;
}

export interface ValidatingPolicy {
  readonly spec: ValidatingSpec;
  readonly conditions: readonly Expression[];
  readonly variables: ReadonlyMap<string, Expression>;
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly Expression[];
}

export function compilePolicy(object: KubeObject): ValidatingPolicy {
  const spec = specOf<ValidatingSpec>(object);
  const hasParams = spec.paramKind !== undefined;
  const { expressions, type: variables } = compileVariables(spec.variables ?? [], { hasParams });
  const scope = scopeOf({ hasParams, hasAuthorizer: true, variables });
  const messageScope = scopeOf({ hasParams, hasAuthorizer: false, variables });
  return {
    spec,
    conditions: compileConditions(spec.matchConditions ?? [], { hasParams }),
    variables: expressions,
    validations: (spec.validations ?? []).map(({ expression, message = '', messageExpression = '', reason }) => ({
      expression: compileExpression(expression, scope, [boolType]),
      messageExpression:
        messageExpression === '' ? undefined : compileExpression(messageExpression, messageScope, [stringType]),
      message: message.trim(),
      reason: reason ?? 'Invalid',
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      compileExpression(valueExpression, scope, [stringType, nullType]),
    ),
  };
}

interface Verdict {
  readonly denials: readonly Decision[];
  /** Annotations that could not be evaluated: they refuse the request whatever the actions of the binding. */
  readonly failures: readonly Decision[];
}

const nothing: Verdict = { denials: [], failures: [] };

/** Judges one request with one param. Errors deny unless the policy ignores failures. */
export function judge(policy: ValidatingPolicy, bindings: Bindings): Verdict {
  const { failurePolicy } = policy.spec;
  const onError = (message: string): readonly Decision[] => (failurePolicy === 'Ignore' ? [] : [{ message }]);
  if (policy.conditions.length > 0) {
    // Match conditions do not see the namespace.
    const matched = matchConditions(policy.conditions, failurePolicy, { ...bindings, namespaceObject: null });
    if ('error' in matched) return { denials: onError(matched.error), failures: [] };
    if (!matched.matches) return nothing;
  }
  try {
    const denials = validate(policy, bindings, onError);
    return { denials, failures: annotate(policy, bindings, onError) };
  } catch (thrown) {
    if (!(thrown instanceof BudgetError)) throw thrown;
    return { denials: onError(thrown.message), failures: [] };
  }
}

function validate(
  { validations, variables }: ValidatingPolicy,
  bindings: Bindings,
  onError: (message: string) => readonly Decision[],
): readonly Decision[] {
  const evaluation = new Evaluation(bindings, policyBudget, variables);
  const results = validations.map(({ expression }) => evaluation.evaluate(expression));
  const hold = results.every((result) => 'value' in result && result.value === true);
  if (hold && validations.every(({ messageExpression }) => messageExpression === undefined)) return [];
  const messages = messagesOf(validations, withoutAuthorizer(bindings), evaluation.left, variables);
  return results.flatMap((result, i) => {
    if ('error' in result) return onError(result.error);
    if ('error' in messages) return onError(messages.error);
    if (result.value === true) return [];
    const { message, reason, expression } = validations[i] as CompiledValidation;
    const text = messages.texts[i] || message || `failed expression: ${expression.compiled.source.trim()}`;
    return [{ message: text, reason }];
  });
}

/** Of all validations, whether they hold or not, as all of them share what is left of the budget. */
function messagesOf(
  validations: readonly CompiledValidation[],
  bindings: Bindings,
  budget: number,
  variables: ReadonlyMap<string, Expression>,
): { readonly texts: readonly string[] } | { readonly error: string } {
  const evaluation = new Evaluation(bindings, budget, variables);
  try {
    return { texts: validations.map((validation) => messageOf(validation, evaluation)) };
  } catch (thrown) {
    if (!(thrown instanceof BudgetError)) throw thrown;
    return { error: `failed messageExpression: ${thrown.message}` };
  }
}

const maxMessageBytes = 5 * 1024;

/** Empty where there is none, or none that can be shown. */
function messageOf({ messageExpression }: CompiledValidation, evaluation: Evaluation): string {
  const result = messageExpression && evaluation.evaluate(messageExpression);
  if (!result || 'error' in result || typeof result.value !== 'string') return '';
  const text = result.value.trim();
  return Buffer.byteLength(text) > maxMessageBytes || text.includes('\n') ? '' : text;
}

/** Nobody reads the annotations of the embedded cluster, which has no audit log: only their errors count. */
function annotate(
  { annotations, variables }: ValidatingPolicy,
  bindings: Bindings,
  onError: (message: string) => readonly Decision[],
): readonly Decision[] {
  const evaluation = new Evaluation(withoutAuthorizer(bindings), policyBudget, variables);
  return annotations.flatMap((annotation) => {
    const result = evaluation.evaluate(annotation);
    return 'error' in result ? onError(result.error) : [];
  });
}

/** Messages and annotations cannot ask the authorizer, not even through a variable. */
function withoutAuthorizer(bindings: Bindings): Bindings {
  const { authorizer: _, 'authorizer.requestResource': __, ...rest } = bindings;
  return rest;
}
