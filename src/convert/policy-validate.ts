import type { PolicyObject, RuleSpec } from '../policy/index.ts';
import type { ServedKind } from './kinds.ts';
import { refuse } from './not-convertible.ts';
import type { ConvertedRule } from './policy.ts';
import { autogenOf, callOf, convertSelection, evaluationOf, guessNotes, nameOf, policyOf } from './policy-parts.ts';
import { convertValidation } from './validation.ts';

/** A validate rule as a ValidatingPolicy; throws NotConvertible. */
export function convertValidateRule(policy: PolicyObject, rule: RuleSpec, path: string): ConvertedRule {
  const { spec } = policy;
  const overrides = rule.validate?.failureActionOverrides ?? spec.validationFailureActionOverrides;
  if (overrides?.length) refuse(path, 'failureActionOverrides: write one policy for each action');
  const { kinds, operations, namedOperations, scope, touched, conditions, matchConstraints } = convertSelection(
    rule,
    path,
  );
  const { validations, variables, auditAnnotations, notes } = convertValidation(rule, scope, path);
  return {
    rule: rule.name,
    phase: 'validate',
    kinds,
    operations,
    touched,
    derived: [],
    notes: [...notes, ...guessNotes(kinds, path), ...notesOf(rule, kinds, namedOperations, path)],
    policy: policyOf(policy, 'ValidatingPolicy', nameOf(policy, rule), {
      validationActions: actionsOf(policy, rule),
      ...callOf(policy),
      ...evaluationOf(policy),
      ...autogenOf(policy, kinds),
      matchConstraints,
      ...(conditions.length > 0 ? { matchConditions: conditions } : {}),
      ...(variables ? { variables } : {}),
      validations,
      ...(auditAnnotations ? { auditAnnotations } : {}),
    }),
  };
}

function actionsOf({ spec }: PolicyObject, { validate }: RuleSpec): readonly string[] {
  const action = validate?.failureAction ?? spec.validationFailureAction ?? 'Audit';
  return [action.toLowerCase() === 'enforce' ? 'Deny' : 'Audit', ...(spec.emitWarning ? ['Warn'] : [])];
}

function notesOf(
  rule: RuleSpec,
  kinds: readonly ServedKind[],
  operations: readonly string[] | undefined,
  path: string,
): readonly string[] {
  return [
    ...(operations === undefined && rule.validate?.deny !== undefined
      ? [`${path}: deletions are not judged; name DELETE in operations and read oldObject if they should be`]
      : []),
    ...(kinds.some(({ kind }) => kind === 'Pod')
      ? [`${path}: updates of ephemeral containers are not judged; name pods/ephemeralcontainers if they should be`]
      : []),
  ];
}
