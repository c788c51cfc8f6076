import { compileSelector, compileWildcard } from '../match/index.ts';
import type { FailureAction, RuleProgram } from '../program.ts';
import type { FailureActionOverride, PolicySpec, RuleSpec } from '../types.ts';

/** Audit or Enforce: the action of the rule, else of the policy, unless an override matches the namespace. */
export function compileFailureAction(spec: PolicySpec, rule: RuleSpec): RuleProgram['failureAction'] {
  const written =
    rule.validate?.failureAction ??
    (rule.verifyImages?.[0]?.['failureAction'] as string | undefined) ??
    spec.validationFailureAction;
  const standard = actionOf(written);
  const overrides = (rule.validate?.failureActionOverrides ?? spec.validationFailureActionOverrides ?? []).map(
    compileOverride,
  );
  if (overrides.length === 0) return () => standard;
  return (namespace, labels) => overrides.find(({ matches }) => matches(namespace, labels))?.action ?? standard;
}

/** True for a validate rule that is enforced without regard to overrides for namespaces. */
export function isEnforced(spec: PolicySpec, { validate }: RuleSpec): boolean {
  return validate !== undefined && actionOf(validate.failureAction ?? spec.validationFailureAction) === 'Enforce';
}

function actionOf(text: string | undefined): FailureAction {
  return text?.toLowerCase() === 'enforce' ? 'Enforce' : 'Audit';
}

function compileOverride({ action, namespaces, namespaceSelector }: FailureActionOverride): {
  readonly action: FailureAction;
  readonly matches: (namespace: string, labels: Readonly<Record<string, string>>) => boolean;
} {
  const names = namespaces?.map(compileWildcard);
  const selector = namespaceSelector && compileSelector(namespaceSelector);
  return {
    action: actionOf(action),
    matches: (namespace, labels) =>
      (!names || names.some((name) => name(namespace))) && (!selector || selector(labels)),
  };
}
