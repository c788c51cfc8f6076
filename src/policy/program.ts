import type { KubeObject } from '../object/index.ts';
import type { Known, LookUp, LookUpAnswer } from './context/index.ts';
import type { FilterExplanation } from './match/index.ts';
import type { RuleReads } from './reads.ts';
import type { MatchedKind, PolicyRequest } from './request.ts';
import type { RequestBudget } from './run/budget.ts';
import type { RuleOutcome } from './run/outcome.ts';
import type { TraceStep } from './run/trace.ts';
import type { PolicyIssue, RuleSpec } from './types.ts';

/** The type of a rule. The rules of one phase run together, and the phases run in this order. */
export type Phase = 'mutate' | 'verifyImages' | 'validate' | 'generate' | 'delete';

export type FailureAction = 'Audit' | 'Enforce';

/** A compiled policy. Created once per revision and shared by all requests. */
export interface PolicyProgram {
  readonly policy: KubeObject;
  /** `rules` for ClusterPolicy and Policy; `cel` for the kinds that consist of expressions, whose rules have no name. */
  readonly form: 'rules' | 'cel';
  /** `name`, or `namespace/name` for a policy of a namespace. Policies of two kinds may have the same. */
  readonly name: string;
  /** No two policies have the same: the name, with the kind before it for all but classic policies. */
  readonly key: string;
  /** The namespace that the policy is confined to; empty for one of the whole cluster. */
  readonly namespace: string;
  /** The `source` of its results in reports. */
  readonly source: string;
  readonly settings: PolicySettings;
  readonly rules: readonly RuleProgram[];
  readonly applyOne: boolean;
}

/** What a policy says of how it is run, in one form for all kinds. */
export interface PolicySettings {
  readonly admission: boolean;
  readonly background: boolean;
  /** Failures are told to the client as warnings. */
  readonly emitWarning: boolean;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number | undefined;
  /** Conditions that the API server evaluates before it calls the webhook. */
  readonly matchConditions: readonly MatchCondition[];
  /** Whether requests for other versions of a resource count, which the API server converts. */
  readonly matchPolicy: 'Exact' | 'Equivalent';
  /** Whether mutations are asked for again after other webhooks have changed the object. */
  readonly reinvocationPolicy: 'Never' | 'IfNeeded';
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface RuleProgram {
  /** `autogen-` names included. */
  readonly name: string;
  /** Index in `spec.rules` of the rule itself, or of the rule that it is derived from. */
  readonly origin: number;
  /** True for rules that autogen derives for controllers of Pods. */
  readonly isDerived: boolean;
  readonly phase: Phase;
  /** The spec of the rule, after autogen. */
  readonly spec: RuleSpec;
  /** The operations on objects of a kind that it is for; absent for classic rules, whose match says so. */
  readonly operationsOn?: (kind: MatchedKind, subresource: string) => ReadonlySet<string>;
  /** Whether it names this kind, and not every kind; absent for classic rules, whose match says so. */
  readonly namesKind?: (kind: MatchedKind) => boolean;
  /** True for rules that change or create other objects. */
  readonly actsOnOthers: boolean;
  /** Whether a new revision of the policy acts on existing objects. */
  readonly actsOnExisting: boolean;
  /** What the rule reads in addition to the object. */
  readonly reads: RuleReads;
  /** The operations that its match names; empty if it names none. */
  readonly operations: ReadonlySet<string>;
  /** False when the rule never matches objects of the kind. Cheap, and the same for every request. */
  mayMatchKind(kind: MatchedKind, subresource: string): boolean;
  /** Why the rule does not match the request; undefined when it matches. */
  mismatchReason(request: PolicyRequest): string | undefined;
  /** The filters of match and exclude with the result of each part, for explanations. */
  explainMatch(request: PolicyRequest): readonly FilterExplanation[];
  /** Audit or Enforce for an object in this namespace. Validate and verifyImages rules only. */
  failureAction(namespace: string, namespaceLabels: Readonly<Record<string, string>>): FailureAction;
}

export interface CompileResult {
  /** Absent when an issue is an error. */
  readonly program: PolicyProgram | undefined;
  readonly issues: readonly PolicyIssue[];
}

export interface RuleResult extends RuleOutcome {
  readonly policy: PolicyProgram;
  readonly rule: RuleProgram;
  /** The trace, with `explain`. */
  readonly steps: readonly TraceStep[];
}

export interface SilentRule {
  readonly policy: PolicyProgram;
  readonly rule: RuleProgram;
  readonly steps: readonly TraceStep[];
}

/** A compiled PolicyException (`kyverno.io/v2`). */
export interface ExceptionProgram {
  readonly exception: KubeObject;
  /** The names of the policies it applies to. */
  readonly policies: readonly string[];
  readonly reads: RuleReads;
}

export interface EvaluationOptions {
  readonly phase: Phase;
  readonly exceptions?: readonly ExceptionProgram[];
  readonly explain?: boolean;
  /** The remaining budget of the request; its phases share it. */
  readonly budget?: RequestBudget | undefined;
  /** Lets `advance` return early after heavy work; otherwise it runs every rule that can run. */
  readonly mayPause?: boolean | undefined;
  /**
   * Answers that the caller has at once, without `advance` returning the look-up. Asked after the known answers; `advance`
   * must find among those of the next round what this has given.
   */
  readonly ready?: ((lookUp: LookUp, key: string) => LookUpAnswer | undefined) | undefined;
  /** Context entries, by policy and rule, whose values are given by the request's variables: they are not looked up. */
  readonly given?: (policy: PolicyProgram, rule: RuleProgram) => ReadonlySet<string> | undefined;
  /** Variables for one rule, merged over those of the request. */
  readonly variables?: (policy: PolicyProgram, rule: RuleProgram) => Readonly<Record<string, unknown>> | undefined;
}

/**
 * The evaluation of one phase of one request. `advance` runs the rules as far as the known answers allow and returns the
 * look-ups that are needed next. Finished rules are not run again. When it returns no look-ups, `results` are final.
 */
export interface Evaluation {
  advance(known: Known): readonly LookUp[];
  /** True when `advance` returned early: the next call continues. */
  readonly isPaused: boolean;
  /** Units of work used so far. */
  readonly usedUnits: number;
  /** Ends the evaluation: rules that were not evaluated yet get an error with this message. */
  expire(message: string): void;
  /** In the order of policies and rules, without rules that do not match or have no result. */
  readonly results: readonly RuleResult[];
  /** With `explain`: rules that matched and have no result. */
  readonly silent: readonly SilentRule[];
  /** The object after all mutations. */
  readonly object: KubeObject | undefined;
}
