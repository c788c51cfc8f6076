import type { KubeObject } from '../object/index.ts';
import type { PolicyObject, RuleSpec } from '../policy/index.ts';
import type { ServedKind } from './kinds.ts';
import { refuse } from './not-convertible.ts';
import { convertGenerateRule } from './policy-generate.ts';
import { convertMutateRule } from './policy-mutate.ts';
import { convertValidateRule } from './policy-validate.ts';
import type { SampleSource } from './sample-cluster.ts';
import type { TouchedPlaces } from './touched.ts';

/** A rule as a policy of its own, and what a reader must know of it. */
export interface ConvertedRule {
  readonly rule: string;
  readonly phase: 'validate' | 'mutate' | 'generate';
  readonly policy: KubeObject;
  /** Policies for controllers of Pods, where the policy for Pods cannot say what they do. */
  readonly derived: readonly KubeObject[];
  readonly kinds: readonly ServedKind[];
  readonly operations: readonly string[];
  readonly touched: TouchedPlaces;
  /** What it reads from the cluster. */
  readonly sources?: readonly SampleSource[];
  /** The objects that it changes instead of the one that triggers it. */
  readonly targets?: { readonly kind: ServedKind; readonly touched: TouchedPlaces };
  readonly notes: readonly string[];
}

/** A rule, or a whole policy, without an equivalent. */
export interface RefusedRule {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
}

export interface Conversion {
  readonly converted: readonly ConvertedRule[];
  readonly refused: readonly RefusedRule[];
}

/** What is tried, in this order: the first that does the same as the rule is its conversion. */
export type Attempt = () => ConvertedRule;

/** The attempts at each rule of the policy. Nothing is tried yet. */
export function attemptsOf(policy: PolicyObject, rule: RuleSpec, path: string): readonly Attempt[] {
  const { spec } = policy;
  if (spec.applyRules === 'One') refuse('spec.applyRules', 'rules that stop others have no equivalent');
  if (rule.verifyImages) refuse(`${path}.verifyImages`, 'signatures of images are not converted');
  if (rule.mutate) return convertMutateRule(policy, rule, path);
  if (rule.generate) return [false, true].map((isOrdered) => () => convertGenerateRule(policy, rule, path, isOrdered));
  return [() => convertValidateRule(policy, rule, path)];
}
