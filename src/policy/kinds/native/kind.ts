import type { KubeObject } from '../../../object/index.ts';
import type { Issues } from '../../check/issues.ts';
import { listOf, object, oneOf, string } from '../../check/shape.ts';
import { checkNames, commonFields, reportExpression } from '../check.ts';
import { compileConstraints } from '../constraints.ts';
import type { KindDefinition } from '../definition.ts';
import { kindPolicy, kindRule } from '../policy.ts';
import { readsOfKind } from '../reads.ts';
import type { KindPolicy } from '../types.ts';
import { compileNative, writtenIn } from './expressions.ts';
import { type Binding, compileNativeRun } from './rule.ts';
import type { BindingSpec, NativeSpec } from './types.ts';

const { webhookConfiguration: _, ...shared } = commonFields;
const paramKind = object({ apiVersion: string, kind: string });
const expression = object({ expression: string }, ['expression']);

const validatingShape = object({
  ...shared,
  paramKind,
  validations: listOf(
    object({ expression: string, message: string, messageExpression: string, reason: string }, ['expression']),
  ),
  auditAnnotations: listOf(object({ key: string, valueExpression: string }, ['key', 'valueExpression'])),
});

const mutatingShape = object({
  ...shared,
  paramKind,
  mutations: listOf(
    object({
      patchType: oneOf('ApplyConfiguration', 'JSONPatch'),
      applyConfiguration: expression,
      jsonPatch: expression,
    }),
  ),
  reinvocationPolicy: oneOf('Never', 'IfNeeded'),
});

export const validatingAdmissionKind: KindDefinition<NativeSpec> = {
  spec: validatingShape,
  check: (policy, issues) => check(policy, issues, false),
  compile: (policy, related) => build(policy, related, false),
};

export const mutatingAdmissionKind: KindDefinition<NativeSpec> = {
  spec: mutatingShape,
  check: (policy, issues) => check(policy, issues, true),
  compile: (policy, related) => build(policy, related, true),
};

function check({ spec }: KindPolicy<NativeSpec>, issues: Issues, isMutating: boolean): void {
  const field = isMutating ? 'mutations' : 'validations';
  if (!spec[field]?.length && !spec.auditAnnotations?.length)
    issues.error('policy-field-required', `spec.${field}`, 'must not be empty');
  checkNames(spec.variables, 'spec.variables', issues);
  checkNames(spec.matchConditions, 'spec.matchConditions', issues);
  const compiled = compileNative(spec, isMutating);
  for (const [i, each] of [...compiled.variables.expressions.values()].entries())
    reportExpression(issues, `spec.variables[${i}].expression`, each);
  for (const [i, each] of compiled.conditions.entries())
    reportExpression(issues, `spec.matchConditions[${i}].expression`, each);
  for (const [i, each] of compiled.validations.entries()) {
    reportExpression(issues, `spec.validations[${i}].expression`, each.expression);
    if (each.messageExpression)
      reportExpression(issues, `spec.validations[${i}].messageExpression`, each.messageExpression);
  }
  for (const [i, each] of compiled.mutations.entries())
    reportExpression(issues, `spec.mutations[${i}].${each.patchType}`, each.expression);
  for (const [i, each] of compiled.annotations.entries())
    reportExpression(issues, `spec.auditAnnotations[${i}].valueExpression`, each.expression);
}

function build(policy: KindPolicy<NativeSpec>, related: readonly KubeObject[], isMutating: boolean) {
  const { spec, metadata, kind } = policy;
  const bindings = related.flatMap((object): readonly Binding[] => {
    const binding = (object['spec'] ?? {}) as BindingSpec;
    if (object.kind !== `${kind}Binding` || binding.policyName !== metadata.name) return [];
    const { matchResources } = binding;
    return [
      {
        name: object.metadata.name ?? '',
        spec: binding,
        matcher: matchResources && compileConstraints(withRules(matchResources), ''),
      },
    ];
  });
  const unbound: Binding = { name: '', spec: {}, matcher: undefined };
  return kindPolicy(policy, {
    source: kind,
    isNamespaced: false,
    rules: [
      kindRule({
        name: metadata.name ?? '',
        phase: isMutating ? 'mutate' : 'validate',
        constraints: spec.matchConstraints,
        policyNamespace: '',
        action: 'Enforce',
        reads: readsOfKind(spec, writtenIn(spec)),
        run: compileNativeRun(spec, bindings.length === 0 ? [unbound] : bindings, isMutating),
      }),
    ],
  });
}

const everything = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];

/** Without rules of its own, a binding is for all that its policy is for. */
function withRules(constraints: NonNullable<BindingSpec['matchResources']>) {
  return constraints.resourceRules?.length ? constraints : { ...constraints, resourceRules: everything };
}
