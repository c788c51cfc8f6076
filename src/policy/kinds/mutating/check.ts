import type { Issues } from '../../check/issues.ts';
import { boolean, listOf, object, oneOf, string } from '../../check/shape.ts';
import {
  autogenShape,
  checkNames,
  commonFields,
  constraintFields,
  evaluationFields,
  isNamespacedKind,
  namedExpressions,
  reportExpression,
  requireResourceRules,
  switched,
  warnOfUnusedFields,
} from '../check.ts';
import type { KindPolicy } from '../types.ts';
import { compileMutating } from './expressions.ts';
import type { MutatingSpec, TargetConstraints } from './types.ts';

const expression = object({ expression: string }, ['expression']);

export const mutatingShape = object({
  ...commonFields,
  evaluation: object({
    ...evaluationFields('Kubernetes', 'JSON'),
    mutateExisting: switched,
    skipBackgroundRequests: boolean,
    useServerSideApply: boolean,
  }),
  mutations: listOf(
    object({
      patchType: oneOf('ApplyConfiguration', 'JSONPatch'),
      applyConfiguration: expression,
      jsonPatch: expression,
    }),
  ),
  targetMatchConstraints: object({ ...constraintFields, expression: string }),
  targetMatchConditions: namedExpressions,
  auditAnnotations: listOf(object({ key: string, valueExpression: string }, ['key', 'valueExpression'])),
  reinvocationPolicy: oneOf('Never', 'IfNeeded'),
  autogen: autogenShape('mutatingAdmissionPolicy'),
});

export function checkMutating({ kind, spec }: KindPolicy<MutatingSpec>, issues: Issues): void {
  const { mode = 'Kubernetes' } = spec.evaluation ?? {};
  if (mode !== 'Kubernetes') {
    issues.error('policy-unsupported', 'spec.evaluation.mode', `${mode} is not supported yet`);
    return;
  }
  const { admission, mutateExisting } = spec.evaluation ?? {};
  if (admission?.enabled === false && !mutateExisting?.enabled)
    issues.error('policy-field-conflict', 'spec.evaluation', 'admission or mutateExisting must be enabled');
  requireResourceRules(spec, issues);
  if (!spec.mutations?.length) issues.error('policy-field-required', 'spec.mutations', 'must not be empty');
  for (const [i, { patchType, applyConfiguration, jsonPatch }] of (spec.mutations ?? []).entries()) {
    const path = `spec.mutations[${i}]`;
    if (!patchType) issues.error('policy-field-required', `${path}.patchType`, 'is required');
    else if (patchType === 'ApplyConfiguration' && !applyConfiguration)
      issues.error('policy-field-required', `${path}.applyConfiguration`, 'is required for this patchType');
    else if (patchType === 'JSONPatch' && !jsonPatch)
      issues.error('policy-field-required', `${path}.jsonPatch`, 'is required for this patchType');
  }
  if (spec.targetMatchConstraints) checkTargets(spec.targetMatchConstraints, issues);
  if (spec.targetMatchConstraints && !mutateExisting?.enabled)
    issues.warn(
      'policy-field-conflict',
      'spec.targetMatchConstraints',
      'changes nothing in a cluster without evaluation.mutateExisting.enabled',
    );
  checkNames(spec.variables, 'spec.variables', issues);
  checkNames(spec.matchConditions, 'spec.matchConditions', issues);
  checkNames(spec.targetMatchConditions, 'spec.targetMatchConditions', issues);
  checkExpressions(spec, isNamespacedKind(kind), issues);
  warnOfUnusedFields(spec, issues);
}

/** Targets are listed, so they must be named. */
function checkTargets(constraints: TargetConstraints, issues: Issues): void {
  const { resourceRules = [], expression: written } = constraints;
  const path = 'spec.targetMatchConstraints';
  if (written && resourceRules.length > 0) {
    issues.error('policy-field-conflict', `${path}.expression`, 'cannot be used with resourceRules');
  }
  for (const [i, { apiGroups = [], apiVersions = [], resources = [] }] of resourceRules.entries()) {
    if ([...apiGroups, ...apiVersions, ...resources].some((name) => name.includes('*'))) {
      issues.error(
        'policy-unsupported',
        `${path}.resourceRules[${i}]`,
        'targets named by a star are not supported yet',
      );
    }
    if (resources.some((name) => name.includes('/'))) {
      issues.error(
        'policy-unsupported',
        `${path}.resourceRules[${i}]`,
        'subresources as targets are not supported yet',
      );
    }
  }
}

function checkExpressions(spec: MutatingSpec, isNamespaced: boolean, issues: Issues): void {
  const { variables, conditions, targetConditions, targets, mutations, annotations } = compileMutating(
    spec,
    isNamespaced,
  );
  for (const [i, each] of [...variables.expressions.values()].entries()) {
    reportExpression(issues, `spec.variables[${i}].expression`, each);
  }
  for (const [i, each] of conditions.entries()) reportExpression(issues, `spec.matchConditions[${i}].expression`, each);
  for (const [i, each] of targetConditions.entries()) {
    reportExpression(issues, `spec.targetMatchConditions[${i}].expression`, each);
  }
  if (targets) reportExpression(issues, 'spec.targetMatchConstraints.expression', targets);
  for (const [i, { patchType, expression: each }] of mutations.entries()) {
    const field = patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
    reportExpression(issues, `spec.mutations[${i}].${field}.expression`, each);
  }
  for (const [i, each] of annotations.entries()) {
    reportExpression(issues, `spec.auditAnnotations[${i}].valueExpression`, each.expression);
  }
}
