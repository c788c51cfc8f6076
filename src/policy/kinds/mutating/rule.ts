import { setOwn } from '../../../base/index.ts';
import { CelError, documentSize } from '../../../cel/index.ts';
import { applyConfiguration, applyPatchValue, type MutationResult } from '../../../mutation/index.ts';
import { deepEqual, type KubeObject } from '../../../object/index.ts';
import type { CompiledRule } from '../../compile/index.ts';
import { errored, type MaybeOutcome, pass, type RuleOutcome, skip } from '../../run/outcome.ts';
import type { Run } from '../../run/run.ts';
import { judgeConditions } from '../conditions.ts';
import { KindEvaluator } from '../evaluator.ts';
import { judgeExceptions } from '../exceptions.ts';
import type { Allowances } from '../scope.ts';
import { compileMutating, type MutatingExpressions, type Mutation } from './expressions.ts';
import { compileTargets } from './targets.ts';
import type { MutatingSpec } from './types.ts';

const unmatched = skip('skip');
const failedToEvaluate = (message: string): RuleOutcome => ({
  ...errored(`failed to evaluate policy: ${message}`),
  ruleName: 'evaluation',
});

/** Changes the object of a request; with target constraints other objects instead. */
export function compileMutatingRun(spec: MutatingSpec, policyNamespace: string): CompiledRule['run'] {
  const expressions = compileMutating(spec, policyNamespace !== '');
  const findTargets = spec.targetMatchConstraints ? compileTargets(spec, expressions, policyNamespace) : undefined;
  const allowsAtomic = spec.evaluation?.useServerSideApply ?? false;
  return (run, exceptions): MaybeOutcome => {
    const excused = judgeExceptions(run, exceptions, false);
    if ('outcome' in excused) return excused.outcome;
    const evaluator = new KindEvaluator(run, excused.allowances, expressions.variables);
    const met = judgeConditions(expressions.conditions, evaluator);
    if (met === false) return unmatched;
    if (met !== true) return failedToEvaluate(met.error);
    if (findTargets) {
      const found = findTargets(run, evaluator);
      if ('error' in found) return failedToEvaluate(found.error);
      return mutateTargets(run, found.targets, { expressions, allowances: excused.allowances, allowsAtomic });
    }
    const { object } = run.request;
    // An object under deletion cannot be changed any more.
    if (!object) return undefined;
    const result = mutate(object, expressions.mutations, evaluator, allowsAtomic);
    if ('error' in result) return failedToEvaluate(result.error);
    if (policyNamespace !== '' && result.object.metadata.namespace !== object.metadata.namespace) {
      return failedToEvaluate(`a policy of namespace ${policyNamespace} may not change the namespace of an object`);
    }
    const outcome = annotated(pass('success'), expressions, evaluator);
    return outcome.status === 'pass' ? { ...outcome, patched: result.object } : outcome;
  };
}

/** Each mutation sees what those before it have made of the object. */
export function mutate(
  object: KubeObject,
  mutations: readonly Mutation[],
  evaluator: KindEvaluator,
  allowsAtomic: boolean,
): MutationResult {
  let current = object;
  for (const { patchType, expression } of mutations) {
    const value = evaluator.evaluate(expression, patchType);
    if (value instanceof CelError) return { error: value.message };
    const object = current;
    evaluator.charge((left) => unitsOf(patchType, object, value, left));
    const schema = patchType === 'JSONPatch' ? undefined : evaluator.schemaOf(current);
    if (schema instanceof CelError) return { error: schema.message };
    const result =
      patchType === 'JSONPatch'
        ? applyPatchValue(current, value)
        : applyConfiguration(current, value, { schema, allowsAtomic });
    if ('error' in result) return result;
    current = result.object;
    evaluator.seeObject(current);
  }
  return { object: current };
}

/** The work on one value of an object or a patch: to convert, compare, merge and send it. */
const unitsPerValue = 40;

/** What a mutation costs. An apply configuration copies the object; an operation of a patch may move all of a list. */
function unitsOf(patchType: Mutation['patchType'], object: KubeObject, value: unknown, left: number): number {
  const most = left / unitsPerValue;
  const objectSize = documentSize(object, most);
  const own = documentSize(value, most) * unitsPerValue;
  if (patchType === 'ApplyConfiguration') return own + objectSize * unitsPerValue;
  const operations = Array.isArray(value) ? value.length : 0;
  return own + objectSize + operations * (objectSize >> 4);
}

function annotated(outcome: RuleOutcome, { annotations }: MutatingExpressions, evaluator: KindEvaluator): RuleOutcome {
  if (annotations.length === 0) return outcome;
  const properties: Record<string, string> = {};
  for (const { key, expression } of annotations) {
    const value = evaluator.evaluate(expression, 'auditAnnotations');
    if (value instanceof CelError)
      return failedToEvaluate(`failed to evaluate auditAnnotation "${key}": ${value.message}`);
    if (typeof value === 'string' && value !== '') setOwn(properties, key, value);
  }
  return { ...outcome, properties };
}

interface TargetWork {
  readonly expressions: MutatingExpressions;
  readonly allowances: Allowances;
  readonly allowsAtomic: boolean;
}

/** One outcome for all targets; those that stay as they are are not among its changes. */
function mutateTargets(
  run: Run,
  targets: readonly KubeObject[],
  { expressions, allowances, allowsAtomic }: TargetWork,
): RuleOutcome {
  const changed: KubeObject[] = [];
  let failure: RuleOutcome | undefined;
  for (const target of targets) {
    const evaluator = new KindEvaluator(run, allowances, expressions.variables);
    evaluator.seeObject(target);
    const met = judgeConditions(expressions.targetConditions, evaluator, 'targetMatchConditions');
    if (met === false) continue;
    const result = met === true ? mutate(target, expressions.mutations, evaluator, allowsAtomic) : met;
    if ('error' in result) failure ??= failedToEvaluate(result.error);
    else if (!isSame(result.object, target)) failure ??= failedToEvaluate(identityChanged);
    else if (!deepEqual(result.object, target)) changed.push(result.object);
  }
  const outcome = failure ?? (targets.length === 0 ? skip('no target found') : pass('success'));
  return { ...outcome, targets: changed };
}

const identityChanged = 'a mutation must not change the kind, name or namespace of its target';

const isSame = (a: KubeObject, b: KubeObject): boolean =>
  a.apiVersion === b.apiVersion &&
  a.kind === b.kind &&
  a.metadata.name === b.metadata.name &&
  a.metadata.namespace === b.metadata.namespace;
