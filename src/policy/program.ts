import type { GroupVersionKind, KubeObject } from '../object/index.ts';
import type { LookUp } from './context/index.ts';
import type { RequestBudget } from './evaluate/budget.ts';
import type { RuleOutcome } from './evaluate/outcome.ts';
import type { TraceStep } from './evaluate/trace.ts';
import type { FilterExplanation } from './match/index.ts';
import type { RuleReads } from './reads.ts';
import type { PolicyRequest } from './request.ts';
import type { PolicyIssue, PolicyObject, RuleSpec } from './types.ts';

/** What a rule does; a policy's rules of one phase run together, the phases in this order. */
export type Phase = 'mutate' | 'verifyImages' | 'validate' | 'generate';

export type FailureAction = 'Audit' | 'Enforce';

/** A policy ready to run. Made once per revision, shared by every request. */
export interface PolicyProgram {
  readonly policy: PolicyObject;
  /** `name`, or `namespace/name` for a Policy. */
  readonly key: string;
  readonly rules: readonly RuleProgram[];
  readonly applyOne: boolean;
}

export interface RuleProgram {
  /** `autogen-` names included. */
  readonly name: string;
  /** Index in `spec.rules` of the rule as written: itself, or the one that it is derived from. */
  readonly origin: number;
  /** True for rules that autogen derives for controllers of Pods. */
  readonly isDerived: boolean;
  readonly phase: Phase;
  /** The rule as it is written, after autogen. */
  readonly spec: RuleSpec;
  /** True for rules that change or create other objects. */
  readonly actsOnOthers: boolean;
  /** What it reads beside the object. */
  readonly reads: RuleReads;
  /** The operations that its match names; empty where it leaves them open. */
  readonly operations: ReadonlySet<string>;
  /** False when the rule is never for such objects: cheap, and the same for every request. */
  mayMatchKind(kind: GroupVersionKind, subresource: string): boolean;
  /** Why the rule is not for this request; undefined when it is. */
  mismatchReason(request: PolicyRequest): string | undefined;
  /** The filters of match and exclude, part by part, for people who ask why. */
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
  /** What happened inside, when asked for. */
  readonly steps: readonly TraceStep[];
}

export interface SilentRule {
  readonly policy: PolicyProgram;
  readonly rule: RuleProgram;
  readonly steps: readonly TraceStep[];
}

/** PolicyExceptions (`kyverno.io/v2`), compiled. */
export interface ExceptionProgram {
  readonly exception: KubeObject;
  /** The policies it names. */
  readonly policies: readonly string[];
  readonly reads: RuleReads;
}

export interface EvaluationOptions {
  readonly phase: Phase;
  readonly exceptions?: readonly ExceptionProgram[];
  readonly explain?: boolean;
  /** What is left for the request; the phases of one request share it. */
  readonly budget?: RequestBudget | undefined;
  /** Lets `advance` end early after heavy work; without it all that can run runs. */
  readonly mayPause?: boolean | undefined;
  /** Context entries whose values are among the request's variables, by policy and rule: not looked up. */
  readonly given?: (policy: PolicyProgram, rule: RuleProgram) => ReadonlySet<string> | undefined;
  /** Variables that only one rule sees, merged over the request's. */
  readonly variables?: (policy: PolicyProgram, rule: RuleProgram) => Readonly<Record<string, unknown>> | undefined;
}

/**
 * One phase of one request. `advance` runs all that can run with what is known and says what else must be looked up;
 * finished rules are never run again. When it asks for nothing more, `results` are final.
 */
export interface Evaluation {
  advance(known: ReadonlyMap<string, import('./context/index.ts').LookUpAnswer>): readonly LookUp[];
  /** True when `advance` ended early: it goes on with the next call. */
  readonly isPaused: boolean;
  /** Units of work so far. */
  readonly usedUnits: number;
  /** Ends it: rules that were not evaluated yet fail with this message. */
  expire(message: string): void;
  /** In the order of policies and rules; rules that do not match or have nothing to say are not among them. */
  readonly results: readonly RuleResult[];
  /** With `explain`: rules that matched and had nothing to say. */
  readonly silent: readonly SilentRule[];
  /** The object after all mutations. */
  readonly object: KubeObject | undefined;
}
