import { CronError, parseCron } from '../../../base/index.ts';
import { policyLanguage } from '../../../cel/index.ts';
import type { Issues } from '../../check/issues.ts';
import { object, oneOf, string } from '../../check/shape.ts';
import type { CompiledRule } from '../../compile/index.ts';
import { errored, failed, pass } from '../../run/outcome.ts';
import { checkNames, commonFields, isNamespacedKind, namedExpressions, reportExpression } from '../check.ts';
import { compileMatchConditions, judgeConditions } from '../conditions.ts';
import type { KindDefinition } from '../definition.ts';
import { KindEvaluator } from '../evaluator.ts';
import { judgeExceptions } from '../exceptions.ts';
import { kindPolicy, kindRule } from '../policy.ts';
import { readsOfKind } from '../reads.ts';
import { compileKindVariables } from '../scope.ts';
import type { KindPolicy, KindSpec, MatchConstraints, NamedExpression } from '../types.ts';

interface DeletingSpec extends KindSpec {
  readonly conditions?: readonly NamedExpression[];
  readonly schedule?: string;
  readonly deletionPropagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
}

const { matchConditions: _, failurePolicy: __, webhookConfiguration: ___, ...shared } = commonFields;

export const deletingKind = (isNamespaced: boolean): KindDefinition<DeletingSpec> => ({
  spec: object({
    ...shared,
    conditions: namedExpressions,
    schedule: string,
    deletionPropagationPolicy: oneOf('Foreground', 'Background', 'Orphan'),
  }),
  check,
  compile(policy: KindPolicy<DeletingSpec>) {
    const { spec, metadata } = policy;
    const policyNamespace = isNamespaced ? (metadata.namespace ?? 'default') : '';
    return kindPolicy(policy, {
      source: 'KyvernoDeletingPolicy',
      isNamespaced,
      rules: [
        kindRule({
          name: metadata.name ?? '',
          phase: 'delete',
          // Not for all objects of a cluster: those would be deleted.
          ...(selectsObjects(spec) ? {} : { mode: 'JSON', sparesObjects: true }),
          constraints: ofAnyOperation(spec.matchConstraints),
          policyNamespace,
          actsOnOthers: true,
          reads: readsOfKind(
            spec,
            (spec.conditions ?? []).map(({ expression }) => expression),
          ),
          run: compileRun(spec, isNamespaced),
        }),
      ],
    });
  },
});

/** A policy without resource rules is for documents. */
const selectsObjects = ({ matchConstraints }: DeletingSpec) => (matchConstraints?.resourceRules?.length ?? 0) > 0;

/** Nothing is written when the schedule comes round. */
function ofAnyOperation(constraints: MatchConstraints = {}): MatchConstraints {
  const { resourceRules = [], excludeResourceRules = [] } = constraints;
  const any = (rule: (typeof resourceRules)[number]) => ({ ...rule, operations: ['*'] });
  return { ...constraints, resourceRules: resourceRules.map(any), excludeResourceRules: excludeResourceRules.map(any) };
}

function compileExpressions(spec: DeletingSpec, isNamespaced: boolean) {
  const variables = compileKindVariables(spec.variables, policyLanguage('delete', isNamespaced));
  return { variables, conditions: compileMatchConditions(spec.conditions, variables.scope) };
}

function compileRun(spec: DeletingSpec, isNamespaced: boolean): CompiledRule['run'] {
  const { variables, conditions } = compileExpressions(spec, isNamespaced);
  return (run, exceptions) => {
    const excused = judgeExceptions(run, exceptions, false);
    if ('outcome' in excused) return excused.outcome;
    const evaluator = new KindEvaluator(run, excused.allowances, variables);
    evaluator.hideRequest();
    const met = judgeConditions(conditions, evaluator, 'conditions');
    if (met === true) return pass('resource matched');
    return met === false ? failed('resource did not match') : errored(met.error);
  };
}

function check({ kind, spec }: KindPolicy<DeletingSpec>, issues: Issues): void {
  checkSchedule(spec.schedule, issues);
  if (!selectsObjects(spec))
    issues.warn('policy-scope', 'spec.matchConstraints', 'without resourceRules the policy is only for JSON payloads');
  checkNames(spec.variables, 'spec.variables', issues);
  checkNames(spec.conditions, 'spec.conditions', issues);
  const { variables, conditions } = compileExpressions(spec, isNamespacedKind(kind));
  for (const [i, each] of [...variables.expressions.values()].entries())
    reportExpression(issues, `spec.variables[${i}].expression`, each);
  for (const [i, each] of conditions.entries()) reportExpression(issues, `spec.conditions[${i}].expression`, each);
}

function checkSchedule(schedule: string | undefined, issues: Issues): void {
  try {
    if (schedule) parseCron(schedule);
    else issues.error('policy-field-required', 'spec.schedule', 'is required');
  } catch (thrown) {
    if (!(thrown instanceof CronError)) throw thrown;
    issues.error('policy-field-value', 'spec.schedule', thrown.message);
  }
}
