import { setOwn } from '../../../base/index.ts';
import { CelError, nullType, policyLanguage, stringType } from '../../../cel/index.ts';
import type { Expression } from '../../cel/index.ts';
import type { CompiledRule } from '../../compile/index.ts';
import { subjectOf } from '../../request.ts';
import { errored, failed, pass, type RuleOutcome, skip } from '../../run/outcome.ts';
import { changedRun, type Run } from '../../run/run.ts';
import { compileMatchConditions, judgeConditions } from '../conditions.ts';
import { KindEvaluator } from '../evaluator.ts';
import { judgeExceptions } from '../exceptions.ts';
import { compileKindExpression, compileKindVariables, onlyBool, scopeOf } from '../scope.ts';
import { judgeAnswers } from './answer.ts';
import type { ValidatingSpec } from './types.ts';

interface Validation {
  readonly expression: Expression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
}

interface Annotation {
  readonly key: string;
  readonly expression: Expression;
}

/** The expressions of a ValidatingPolicy, compiled. */
export function compileExpressions(spec: ValidatingSpec, isNamespaced: boolean) {
  const answers = hasAnswers(spec);
  const language = policyLanguage(answers ? 'authorize' : 'validate', isNamespaced);
  const variables = compileKindVariables(spec.variables, language);
  const { scope } = variables;
  return {
    variables,
    conditions: compileMatchConditions(spec.matchConditions, scopeOf(language)),
    validations: (spec.validations ?? []).map(
      ({ expression, message = '', messageExpression }): Validation => ({
        expression: compileKindExpression(expression, scope, answers ? undefined : onlyBool()),
        message: message.trim(),
        messageExpression: messageExpression
          ? compileKindExpression(messageExpression, scope, [stringType])
          : undefined,
      }),
    ),
    annotations: (spec.auditAnnotations ?? []).map(
      ({ key, valueExpression }): Annotation => ({
        key,
        expression: compileKindExpression(valueExpression, scope, [stringType, nullType]),
      }),
    ),
  };
}

/** Policies for requests of proxies answer them. */
const hasAnswers = ({ evaluation }: ValidatingSpec) => evaluation?.mode === 'HTTP' || evaluation?.mode === 'Envoy';

const passed = pass('success');
const unmatched = skip('skip');
/** Conditions and annotations that fail are told under this name, whatever the rule is called. */
const failedToLoad = (message: string): RuleOutcome => ({
  ...errored(`failed to load context: ${message}`),
  ruleName: 'evaluation',
});

/** Judges a request: the first validation that is not true decides. */
export function compileValidatingRun(spec: ValidatingSpec, isNamespaced: boolean): CompiledRule['run'] {
  const { variables, conditions, validations, annotations } = compileExpressions(spec, isNamespaced);
  const ignoresErrors = spec.failurePolicy === 'Ignore';
  const answers = hasAnswers(spec);
  const isForDocuments = spec.evaluation?.mode === 'JSON';
  return (given, exceptions) => {
    const run = isForDocuments && !given.request.payload ? asDocument(given) : given;
    const excused = judgeExceptions(run, exceptions, ignoresErrors);
    if ('outcome' in excused) return excused.outcome;
    const evaluator = new KindEvaluator(run, excused.allowances, variables);
    const met = judgeConditions(conditions, evaluator);
    if (met === false || (met !== true && ignoresErrors)) return unmatched;
    if (met !== true) return failedToLoad(met.error);
    if (answers) {
      return judgeAnswers(
        validations.map(({ expression }) => expression),
        evaluator,
      );
    }
    for (let index = 0; index < validations.length; index++) {
      const denied = judge(validations[index] as Validation, index, evaluator);
      if (denied) return denied.status === 'fail' ? annotated(denied, annotations, evaluator) : denied;
    }
    return annotated(passed, annotations, evaluator);
  };
}

/** An object as the document that it is. */
function asDocument(run: Run): Run {
  const value = subjectOf(run.request);
  return changedRun(run, {
    request: { ...run.request, object: undefined, oldObject: undefined, payload: { mode: 'JSON', value } },
  });
}

function judge(
  { expression, message, messageExpression }: Validation,
  index: number,
  evaluator: KindEvaluator,
): RuleOutcome | undefined {
  const value = evaluator.evaluate(expression, 'validations');
  if (value === true) return undefined;
  const properties = { 'cel.validationIndex': String(index) };
  if (value instanceof CelError) return { ...errored(`error: ${value.message}`), properties };
  const own = messageExpression ? messageOf(evaluator.evaluate(messageExpression, 'messageExpression')) : message;
  return { ...failed(own || `CEL expression validation failed at index ${index}`), properties };
}

/** A message expression that fails says so in its place. */
function messageOf(value: unknown): string {
  if (value instanceof CelError) return `failed to evaluate message expression: ${value.message}`;
  return typeof value === 'string' ? value : '';
}

function annotated(outcome: RuleOutcome, annotations: readonly Annotation[], evaluator: KindEvaluator): RuleOutcome {
  if (annotations.length === 0) return outcome;
  const properties: Record<string, string> = {};
  for (const { key, expression } of annotations) {
    const value = evaluator.evaluate(expression, 'auditAnnotations');
    if (value instanceof CelError) {
      return failedToLoad(`failed to evaluate auditAnnotation '${key}': ${value.message}`);
    }
    if (typeof value === 'string' && value !== '') setOwn(properties, key, value);
  }
  return { ...outcome, properties: { ...properties, ...outcome.properties } };
}
