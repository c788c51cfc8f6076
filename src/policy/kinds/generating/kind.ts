import type { Issues } from '../../check/issues.ts';
import { boolean, listOf, object, oneOf, string } from '../../check/shape.ts';
import {
  checkNames,
  commonFields,
  evaluationFields,
  isNamespacedKind,
  reportExpression,
  requireResourceRules,
  switched,
  warnOfUnusedFields,
} from '../check.ts';
import type { KindDefinition } from '../definition.ts';
import { kindPolicy, kindRule } from '../policy.ts';
import { readsOfKind } from '../reads.ts';
import type { KindPolicy } from '../types.ts';
import { compileGenerating } from './expressions.ts';
import { compileGeneratingRun } from './rule.ts';
import type { GeneratingSpec } from './types.ts';

const generatingShape = object({
  ...commonFields,
  evaluation: object({
    ...evaluationFields('Kubernetes'),
    synchronize: switched,
    generateExisting: switched,
    orphanDownstreamOnPolicyDelete: switched,
    skipBackgroundRequests: boolean,
  }),
  useServerSideApply: boolean,
  generate: listOf(
    object({
      expression: string,
      template: object({ value: string, interpolate: oneOf('none', 'cel') }, ['value']),
    }),
  ),
  auditAnnotations: listOf(object({ key: string, valueExpression: string }, ['key', 'valueExpression'])),
});

export const generatingKind = (isNamespaced: boolean): KindDefinition<GeneratingSpec> => ({
  spec: generatingShape,
  check,
  compile(policy: KindPolicy<GeneratingSpec>) {
    const { spec, metadata } = policy;
    const policyNamespace = isNamespaced ? (metadata.namespace ?? 'default') : '';
    return kindPolicy(policy, {
      source: 'KyvernoGeneratingPolicy',
      isNamespaced,
      rules: [
        kindRule({
          name: metadata.name ?? '',
          phase: 'generate',
          constraints: spec.matchConstraints,
          policyNamespace,
          actsOnOthers: true,
          actsOnExisting: spec.evaluation?.generateExisting?.enabled ?? false,
          generate: {
            synchronize: spec.evaluation?.synchronize?.enabled ?? false,
            orphanDownstreamOnPolicyDelete: spec.evaluation?.orphanDownstreamOnPolicyDelete?.enabled ?? false,
          },
          reads: readsOfKind(spec, expressionsOf(spec, isNamespaced)),
          run: compileGeneratingRun(spec, policyNamespace),
        }),
      ],
    });
  },
});

function expressionsOf(spec: GeneratingSpec, isNamespaced: boolean): readonly string[] {
  const { generations, annotations } = compileGenerating(spec, isNamespaced);
  return [
    ...generations.flatMap((generation) => {
      if ('expression' in generation) return [generation.expression.source];
      return 'error' in generation.template ? [] : generation.template.expressions.map(({ source }) => source);
    }),
    ...annotations.map(({ expression }) => expression.source),
  ];
}

function check({ kind, spec }: KindPolicy<GeneratingSpec>, issues: Issues): void {
  requireResourceRules(spec, issues);
  if (!spec.generate?.length) issues.error('policy-field-required', 'spec.generate', 'must not be empty');
  for (const [i, { expression, template }] of (spec.generate ?? []).entries()) {
    if (expression && template)
      issues.error('policy-field-conflict', `spec.generate[${i}]`, 'only one of expression or template may be set');
    else if (!expression && !template)
      issues.error('policy-field-required', `spec.generate[${i}]`, 'one of expression or template must be set');
  }
  if (spec.useServerSideApply) {
    const message = 'is not supported: an object that differs is replaced as a whole';
    issues.warn('policy-unsupported', 'spec.useServerSideApply', message);
  }
  warnOfUnusedFields(spec, issues);
  if (issues.hasErrors) return;
  checkNames(spec.variables, 'spec.variables', issues);
  checkNames(spec.matchConditions, 'spec.matchConditions', issues);
  const { variables, conditions, generations, annotations } = compileGenerating(spec, isNamespacedKind(kind));
  for (const [i, each] of [...variables.expressions.values()].entries())
    reportExpression(issues, `spec.variables[${i}].expression`, each);
  for (const [i, each] of conditions.entries()) reportExpression(issues, `spec.matchConditions[${i}].expression`, each);
  for (const [i, generation] of generations.entries()) {
    const path = `spec.generate[${i}]`;
    if ('expression' in generation) reportExpression(issues, `${path}.expression`, generation.expression);
    else if ('error' in generation.template)
      issues.error('policy-field-value', `${path}.template.value`, generation.template.error);
    else for (const each of generation.template.expressions) reportExpression(issues, `${path}.template.value`, each);
  }
  for (const [i, { expression }] of annotations.entries())
    reportExpression(issues, `spec.auditAnnotations[${i}].valueExpression`, expression);
}
