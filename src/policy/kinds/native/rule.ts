import { setOwn } from '../../../base/index.ts';
import { CelError } from '../../../cel/index.ts';
import type { KubeObject } from '../../../object/index.ts';
import { errored, failed, type MaybeOutcome, pass, type RuleOutcome, skip } from '../../run/outcome.ts';
import type { Run } from '../../run/run.ts';
import { judgeConditions } from '../conditions.ts';
import type { ConstraintMatcher } from '../constraints.ts';
import { KindEvaluator } from '../evaluator.ts';
import { mutate } from '../mutating/rule.ts';
import { compileNative, type NativeExpressions, readsParamsAsList } from './expressions.ts';
import { findParams } from './params.ts';
import type { BindingSpec, NativeSpec } from './types.ts';

export interface Binding {
  readonly name: string;
  readonly spec: BindingSpec;
  /** What its `matchResources` leave of the policy's constraints; undefined where it has none. */
  readonly matcher: ConstraintMatcher | undefined;
}

/** Judges one request with one parameter. */
type Judge = (run: Run, evaluator: KindEvaluator, object: KubeObject | undefined) => RuleOutcome;

/** A policy with all its bindings: a denial decides, otherwise the last of them. */
export function compileNativeRun(spec: NativeSpec, bindings: readonly Binding[], isMutating: boolean) {
  const expressions = compileNative(spec, isMutating);
  const judge = isMutating ? judgeMutations(expressions) : judgeValidations(expressions);
  const asList = readsParamsAsList(spec);
  const property = isMutating ? 'mapBinding' : 'binding';
  return (run: Run): MaybeOutcome => {
    let last: RuleOutcome | undefined;
    let object = run.request.object;
    for (const { name, spec: binding, matcher } of bindings) {
      if (matcher && matcher.mismatchReason(run.request) !== undefined) continue;
      const found = findParams(spec, binding, asList, run);
      if ('error' in found) return errored(`error in parameterized resource: ${found.error}`);
      if ('isAllowed' in found) {
        if (!found.isAllowed) return failed('no params found for policy binding with `Deny` parameterNotFoundAction');
        continue;
      }
      for (const param of found.params) {
        const evaluator = new KindEvaluator(run, param, expressions.variables);
        if (object) evaluator.seeObject(object);
        const outcome = judge(run, evaluator, object);
        object = outcome.patched ?? object;
        last = name === '' ? outcome : { ...outcome, properties: { ...outcome.properties, [property]: name } };
        if (outcome.status === 'fail' || outcome.status === 'error') return last;
      }
    }
    return last && object !== run.request.object ? { ...last, patched: object } : last;
  };
}

function unmetConditions({ conditions }: NativeExpressions, evaluator: KindEvaluator): RuleOutcome | undefined {
  const met = judgeConditions(conditions, evaluator);
  if (met === false) return skip('skip');
  return met === true ? undefined : errored(met.error);
}

function judgeValidations(expressions: NativeExpressions): Judge {
  return (_, evaluator) => {
    const unmet = unmetConditions(expressions, evaluator);
    if (unmet) return unmet;
    for (const { expression, message, messageExpression } of expressions.validations) {
      const value = evaluator.evaluate(expression, 'validations');
      if (value === true) continue;
      if (value instanceof CelError) return errored(value.message);
      const own = messageExpression ? evaluator.evaluate(messageExpression, 'messageExpression') : '';
      const text = typeof own === 'string' ? own.trim() : '';
      return failed(text || message || `failed expression: ${expression.source.trim()}`);
    }
    const properties: Record<string, string> = {};
    for (const { key, expression } of expressions.annotations) {
      const value = evaluator.evaluate(expression, 'auditAnnotations');
      if (typeof value === 'string' && value !== '') setOwn(properties, key, value);
    }
    return { ...pass('success'), properties };
  };
}

function judgeMutations(expressions: NativeExpressions): Judge {
  return (_, evaluator, object) => {
    const unmet = unmetConditions(expressions, evaluator);
    if (unmet) return unmet;
    if (!object) return skip('there is no object to change');
    const result = mutate(object, expressions.mutations, evaluator, false);
    return 'error' in result ? errored(result.error) : { ...pass('success'), patched: result.object };
  };
}
