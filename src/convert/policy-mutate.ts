import type { KubeObject } from '../object/index.ts';
import { expandRules, type PolicyObject, type RuleSpec } from '../policy/index.ts';
import { renderBool } from './bool.ts';
import { convertMutation, type MutationForm } from './mutate/index.ts';
import { refuse } from './not-convertible.ts';
import type { Attempt, ConvertedRule } from './policy.ts';
import { autogenOf, callOf, convertSelection, evaluationOf, guessNotes, nameOf, policyOf } from './policy-parts.ts';
import { convertTargets } from './targets.ts';

interface Form {
  readonly patchType: MutationForm;
  /** Lets an apply configuration replace what is one value. */
  readonly replacesAtomic: boolean;
  /** A policy of its own for what is derived for controllers of Pods. */
  readonly isExpanded: boolean;
  /** Preconditions are evaluated one after the other. */
  readonly isOrdered: boolean;
}

const configuration = { patchType: 'ApplyConfiguration', replacesAtomic: false } as const;
const replacing = { patchType: 'ApplyConfiguration', replacesAtomic: true } as const;
const patches = { patchType: 'JSONPatch', replacesAtomic: false } as const;

/** The forms in which a mutate rule may be written as a MutatingPolicy, the plainest first. */
export function convertMutateRule(policy: PolicyObject, rule: RuleSpec, path: string): readonly Attempt[] {
  const isDerived = expandRules(policy).some(({ autogen, origin }) => autogen && policy.spec.rules?.[origin] === rule);
  const written = [
    ...[configuration, replacing].map((form) => ({ ...form, isExpanded: false })),
    ...(isDerived ? [configuration, replacing].map((form) => ({ ...form, isExpanded: true })) : []),
    { ...patches, isExpanded: isDerived },
  ];
  const isSimple = rule.preconditions === undefined;
  const forms = (isSimple ? [false] : [false, true]).flatMap((isOrdered) =>
    written.map((form): Form => ({ ...form, isOrdered })),
  );
  return forms.map((form) => () => convertInForm(policy, rule, path, form));
}

function convertInForm(policy: PolicyObject, rule: RuleSpec, path: string, form: Form): ConvertedRule {
  const { mutate } = rule;
  if (mutate === undefined) return refuse(path, 'nothing is changed');
  const derived = expandRules(policy).filter(({ autogen, origin }) => autogen && policy.spec.rules?.[origin] === rule);
  if (mutate.targets?.length && derived.length > 0)
    return refuse(`${path}.mutate.targets`, 'targets of a rule that is derived for controllers of Pods');
  const own = convertOne(policy, rule, path, form);
  const others = form.isExpanded
    ? derived.map(({ rule: each, autogen }) => {
        const suffix = autogen === 'cronjob' ? '-cronjobs' : '-controllers';
        return convertOne(policy, each, path, form, nameOf(policy, rule, suffix)).policy;
      })
    : [];
  return { ...own, derived: others };
}

function convertOne(
  policy: PolicyObject,
  rule: RuleSpec,
  path: string,
  { patchType, replacesAtomic, isExpanded, isOrdered }: Form,
  name = nameOf(policy, rule),
): ConvertedRule {
  const { mutate = {} } = rule;
  const { targets } = mutate;
  const converted = targets?.length ? convertTargets(targets, rule, path, isOrdered) : undefined;
  const selection = converted?.selection ?? convertSelection(rule, path, { isOrdered });
  const { kinds, operations, scope, touched, matchConstraints } = selection;
  const { mutations, condition } = convertMutation(mutate, scope, patchType, `${path}.mutate`);
  const applies = renderBool(condition);
  const patchCondition = applies === 'true' ? [] : [{ name: 'patch', expression: applies }];
  const conditions = [...selection.conditions, ...(converted ? [] : patchCondition)];
  const targetConditions = [...(converted?.conditions ?? []), ...(converted ? patchCondition : [])];
  const onUpdate = mutate.mutateExistingOnPolicyUpdate ?? policy.spec.mutateExistingOnPolicyUpdate;
  const spec = {
    ...callOf(policy),
    ...evaluationOf(policy, {
      ...(converted ? { mutateExisting: { enabled: true } } : {}),
      ...(replacesAtomic ? { useServerSideApply: true } : {}),
    }),
    ...(isExpanded && kinds.some(({ kind }) => kind === 'Pod')
      ? { autogen: { podControllers: { controllers: [] } } }
      : autogenOf(policy, kinds)),
    matchConstraints,
    ...(conditions.length > 0 ? { matchConditions: conditions } : {}),
    ...(converted ? { targetMatchConstraints: converted.constraints } : {}),
    ...(targetConditions.length > 0 ? { targetMatchConditions: targetConditions } : {}),
    mutations,
  };
  const made: KubeObject = policyOf(policy, 'MutatingPolicy', name, spec);
  return {
    rule: rule.name,
    phase: 'mutate',
    kinds,
    operations: operations.filter((operation) => operation !== 'DELETE' || converted !== undefined),
    touched: converted?.triggerTouched ?? touched,
    ...(converted ? { targets: { kind: converted.kind, touched } } : {}),
    derived: [],
    notes: [...guessNotes(kinds, path), ...(converted && !onUpdate ? [`${path}: ${whenWritten}`] : [])],
    policy: made,
  };
}

/** A MutatingPolicy changes other objects only with mutateExisting. */
const whenWritten = 'objects that are there already trigger it once when the policy is written';
