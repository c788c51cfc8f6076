import { setOwn } from '../../base/index.ts';
import { boolType, CelError, CelUnknown, callCostLimit, nullType, stringType } from '../../cel/index.ts';
import {
  compileExpression,
  compileVariables,
  createExpressionTrace,
  createVariableValues,
  type Expression,
  namespaceValue,
  type RuleVariables,
  requestValue,
  wholeNamespaceValue,
} from '../cel/index.ts';
import { type LookUp, Need } from '../context/index.ts';
import { spend } from '../run/budget.ts';
import { failed, type MaybeOutcome, pass, type RuleOutcome, skip } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { CelSpec, RuleSpec } from '../types.ts';
import { compileParams } from './cel-params.ts';

/** What all expressions of one rule on one object may cost together, and the preconditions before them. */
const ruleCostLimit = 10_000_000;
const preconditionsCostLimit = 2_500_000;
const maxMessageBytes = 5 * 1024;

interface Validation {
  readonly expression: Expression;
  readonly message: string;
  readonly messageExpression: Expression | undefined;
}

/** A rule's `validate.cel`, with `celPreconditions` before it. Every error is a denial. */
export function compileCelCheck(name: string, rule: RuleSpec): (run: Run) => MaybeOutcome {
  const spec = rule.validate?.cel as CelSpec;
  const params = compileParams(spec);
  const variables = compileVariables(spec.variables ?? [], params !== undefined);
  const { declared } = variables;
  const preconditions = (rule.celPreconditions ?? []).map(({ expression }) =>
    compileExpression(expression, declared, [boolType]),
  );
  const validations = (spec.expressions ?? []).map(
    ({ expression, message, messageExpression }): Validation => ({
      expression: compileExpression(expression, declared, [boolType]),
      message: (message || rule.validate?.message || '').trim(),
      messageExpression: messageExpression ? compileExpression(messageExpression, declared, [stringType]) : undefined,
    }),
  );
  const annotations = (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
    key,
    expression: compileExpression(valueExpression, declared, [stringType, nullType]),
  }));
  const passed = pass(`Validation rule '${name}' passed.`);
  const judge = (run: Run, param: unknown): RuleOutcome => {
    const unmet = judgePreconditions(preconditions, new Evaluator(run, variables, param, preconditionsCostLimit));
    if (unmet) return unmet;
    const evaluator = new Evaluator(run, variables, param, ruleCostLimit);
    for (const validation of validations) {
      const denied = judgeValidation(validation, evaluator);
      if (denied) return denied;
    }
    return annotated(passed, annotations, evaluator);
  };
  if (!params) return (run) => judge(run, undefined);
  return (run) => {
    const found = params(run);
    if ('status' in found) return found;
    let outcome: RuleOutcome = passed;
    for (const param of found.params) {
      outcome = judge(run, param);
      if (outcome.status !== 'pass') return outcome;
    }
    return outcome;
  };
}

function judgePreconditions(preconditions: readonly Expression[], evaluator: Evaluator): RuleOutcome | undefined {
  const errors: string[] = [];
  for (const expression of preconditions) {
    const value = evaluator.evaluate(expression, 'celPreconditions');
    if (value === false) return skip('cel preconditions not met');
    if (value instanceof CelError) errors.push(value.message);
  }
  if (errors.length === 0) return undefined;
  return failed(errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]`);
}

function judgeValidation({ expression, message, messageExpression }: Validation, evaluator: Evaluator) {
  const value = evaluator.evaluate(expression, 'validate.cel');
  if (value === true) return undefined;
  if (value instanceof CelError) return failed(value.message);
  return failed(
    ownMessage(messageExpression, evaluator) || message || `failed expression: ${expression.source.trim()}`,
  );
}

/** What the author has an expression for; nothing when it fails, has several lines or is too long. */
function ownMessage(expression: Expression | undefined, evaluator: Evaluator): string {
  if (!expression) return '';
  const value = evaluator.evaluate(expression, 'messageExpression');
  const text = typeof value === 'string' ? value.trim() : '';
  return text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? '' : text;
}

function annotated(
  outcome: RuleOutcome,
  annotations: readonly { readonly key: string; readonly expression: Expression }[],
  evaluator: Evaluator,
): RuleOutcome {
  const properties: Record<string, string> = {};
  for (const { key, expression } of annotations) {
    const value = evaluator.evaluate(expression, 'auditAnnotations');
    if (typeof value === 'string' && value.trim() !== '') setOwn(properties, key, value.trim());
  }
  return Object.keys(properties).length === 0 ? outcome : { ...outcome, properties };
}

/** Evaluates expressions on one request, with one budget for all of them. */
class Evaluator {
  private readonly inputs: readonly unknown[];
  private readonly trace: ReturnType<typeof createExpressionTrace>;

  constructor(
    private readonly run: Run,
    { expressions }: RuleVariables,
    param: unknown,
    private left: number,
  ) {
    const { request } = run;
    this.trace = createExpressionTrace(() => this.inputs, run.trace);
    const variables = createVariableValues(expressions, ({ program }) => this.spendOn(program as never), this.trace);
    const { object = null, oldObject = null } = request;
    const asksForNamespace = run.readsNamespace && request.namespaceObject === undefined;
    const namespace = asksForNamespace ? wholeNamespaceValue(run) : namespaceValue(request);
    this.inputs = [object, oldObject, lazyRequest(run), namespace, variables, param ?? null];
  }

  /** A value, or the error in the words of the API server. */
  evaluate(expression: Expression, where: string): unknown {
    const value = this.valueOf(expression);
    this.trace?.(where, expression, value);
    return value;
  }

  private valueOf(expression: Expression): unknown {
    if ('error' in expression) return new CelError(`compilation error: ${expression.error}`);
    const { value } = this.spendOn(expression.program);
    if (this.left < 0) {
      return new CelError(
        'validation failed due to running out of cost budget, no further validation rules will be run',
      );
    }
    if (value instanceof CelUnknown) throw new Need(value.needs as readonly LookUp[]);
    if (!(value instanceof CelError)) return value;
    return new CelError(`expression '${expression.source}' resulted in error: ${value.message}`);
  }

  private spendOn(program: {
    evaluate: (inputs: readonly unknown[], limit: number) => { value: unknown; cost: number };
  }) {
    const allowed = Math.min(callCostLimit, this.run.budget.left);
    const result = program.evaluate(this.inputs, allowed);
    this.left -= result.cost;
    spend(this.run, result.cost);
    return result;
  }
}

const requests = new WeakMap<object, unknown>();

/** One value for all rules on a request. */
function lazyRequest({ request }: Run): unknown {
  let value = requests.get(request);
  if (value === undefined) {
    value = requestValue(request);
    requests.set(request, value);
  }
  return value;
}
