import type { PolicyObject, RuleSpec } from '../policy/index.ts';
import { convertGeneration } from './generate.ts';
import { refuse } from './not-convertible.ts';
import type { ConvertedRule } from './policy.ts';
import { callOf, convertSelection, evaluationOf, guessNotes, nameOf, policyOf } from './policy-parts.ts';

/** A generate rule as a GeneratingPolicy; throws NotConvertible. */
export function convertGenerateRule(
  policy: PolicyObject,
  rule: RuleSpec,
  path: string,
  isOrdered: boolean,
): ConvertedRule {
  const spec = rule.generate ?? refuse(path, 'nothing is generated');
  const { kinds, operations, scope, touched, conditions, matchConstraints } = convertSelection(rule, path, {
    isOrdered,
  });
  const { generate, sources } = convertGeneration(spec, {
    scope,
    path: `${path}.generate`,
    isNamespaced: policy.kind === 'Policy',
  });
  const existing = spec.generateExisting ?? policy.spec.generateExisting ?? policy.spec.generateExistingOnPolicyUpdate;
  const switches = {
    synchronize: spec.synchronize,
    generateExisting: existing,
    orphanDownstreamOnPolicyDelete: spec.orphanDownstreamOnPolicyDelete,
  };
  const evaluation = Object.fromEntries(
    Object.entries(switches).flatMap(([name, isOn]) => (isOn ? [[name, { enabled: true }]] : [])),
  );
  const { failurePolicy: _, ...call } = callOf(policy);
  return {
    rule: rule.name,
    phase: 'generate',
    kinds,
    operations,
    touched,
    sources,
    derived: [],
    notes: guessNotes(kinds, path),
    policy: policyOf(policy, 'GeneratingPolicy', nameOf(policy, rule), {
      ...call,
      ...evaluationOf(policy, evaluation),
      matchConstraints,
      ...(conditions.length > 0 ? { matchConditions: conditions } : {}),
      generate,
    }),
  };
}
