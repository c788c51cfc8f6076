import { errorMessage } from '../../base/index.ts';
import type { Scope, WorkBudget } from '../../jmespath/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../compile/index.ts';
import { type Known, type LookUp, lookUpKey, Need, requestScope } from '../context/index.ts';
import type {
  Evaluation,
  EvaluationOptions,
  ExceptionProgram,
  PolicyProgram,
  RuleResult,
  SilentRule,
} from '../program.ts';
import type { PolicyRequest } from '../request.ts';
import { heavyUnits, newRequestBudget, type RequestBudget, ruleBudget, settleRule } from '../run/budget.ts';
import { errored, type MaybeOutcome, type RuleOutcome } from '../run/outcome.ts';
import type { Run } from '../run/run.ts';
import type { TraceStep } from '../run/trace.ts';
import { Answers } from './answers.ts';
import { candidatesFor, type RuleCandidate } from './candidates.ts';
import { RuleRun } from './rule-run.ts';

const noSteps: readonly TraceStep[] = [];
/** Found once for each set of policies: a tenant with thousands of exceptions must not slow the requests of others. */
const covering = new WeakMap<readonly CompiledException[], WeakMap<CompiledRule, readonly CompiledException[]>>();
const noExceptions: readonly CompiledException[] = [];

/** Starts one phase of one request; nothing runs before `advance`. */
export function createEvaluation(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  options: EvaluationOptions,
): Evaluation {
  return new RequestEvaluation(candidatesFor(programs, request, options.phase), request, options);
}

class RequestEvaluation implements Evaluation {
  readonly silent: SilentRule[] = [];
  isPaused = false;
  usedUnits = 0;
  private readonly answers: Answers;
  private readonly budget: RequestBudget;
  private request: PolicyRequest;
  private readonly isChained: boolean;
  /** By index of the candidate: its result, `null` if it has none, undefined while it is pending. */
  private readonly ruleResults: (RuleResult | null | undefined)[];
  private readonly exceptions: readonly CompiledException[];
  private readonly clock: { now(): number };
  /** The bottom scope of the current request, shared by the rules so that lazy values are computed once. */
  private shared: { readonly request: PolicyRequest; readonly scope: Scope } | undefined;

  private matched:
    | { readonly by: RuleCandidate['mismatchReason']; readonly request: PolicyRequest; readonly isMatch: boolean }
    | undefined;

  constructor(
    private readonly candidates: readonly RuleCandidate[],
    request: PolicyRequest,
    private readonly options: EvaluationOptions,
  ) {
    this.request = request;
    this.clock = { now: () => request.now };
    this.budget = options.budget ?? newRequestBudget();
    this.answers = new Answers(options.ready);
    this.isChained = options.phase === 'mutate';
    this.ruleResults = new Array<undefined>(candidates.length).fill(undefined);
    this.exceptions = (options.exceptions ??
      noExceptions) as readonly ExceptionProgram[] as readonly CompiledException[];
  }

  get results(): readonly RuleResult[] {
    const results: RuleResult[] = [];
    for (const result of this.ruleResults) if (result) results.push(result);
    return results;
  }

  get object(): KubeObject | undefined {
    return this.request.object;
  }

  advance(known: Known): readonly LookUp[] {
    let needs: Map<string, LookUp> | undefined;
    // A pause is not a round of look-ups.
    if (this.isPaused) this.answers.resume(known);
    else this.answers.startRound(known);
    this.isPaused = false;
    const pauseAt = this.options.mayPause ? this.usedUnits + heavyUnits : Number.POSITIVE_INFINITY;
    // With applyRules: One, a policy must not run past a rule that is still pending.
    let held: Set<CompiledPolicy> | undefined;
    for (let i = 0; i < this.candidates.length; i++) {
      if (this.ruleResults[i] !== undefined) continue;
      if (this.usedUnits >= pauseAt) {
        this.isPaused = true;
        break;
      }
      const { policy } = this.candidates[i]!;
      if (policy.applyOne && (held?.has(policy) || this.hasApplied(policy))) {
        if (!held?.has(policy)) this.ruleResults[i] = null;
        continue;
      }
      const asked = this.runRule(i);
      if (!asked) continue;
      needs ??= new Map();
      for (const need of asked) needs.set(lookUpKey(need), need);
      (held ??= new Set()).add(policy);
      // Each mutation builds on the one before it.
      if (this.isChained) break;
    }
    return needs ? [...needs.values()] : [];
  }

  expire(message: string): void {
    for (const [index, { policy, rule }] of this.candidates.entries()) {
      if (this.ruleResults[index] !== undefined) continue;
      const matches = rule.mismatchReason(this.request) === undefined;
      this.ruleResults[index] = matches ? resultOf(overBudget(message), policy, rule, noSteps) : null;
    }
    this.isPaused = false;
  }

  /** Rules of equal match blocks share their matcher. */
  private matches(mismatchReason: RuleCandidate['mismatchReason']): boolean {
    if (this.matched?.by !== mismatchReason || this.matched.request !== this.request) {
      const isMatch = mismatchReason(this.request) === undefined;
      this.matched = { by: mismatchReason, request: this.request, isMatch };
    }
    return this.matched.isMatch;
  }

  private hasApplied(policy: CompiledPolicy): boolean {
    return this.ruleResults.some(
      (result) => result?.policy === policy && (result.status === 'pass' || result.status === 'fail'),
    );
  }

  private runRule(index: number): readonly LookUp[] | undefined {
    const candidate = this.candidates[index]!;
    const { policy, rule, mismatchReason } = candidate;
    this.ruleResults[index] = null;
    if (!this.matches(mismatchReason)) return undefined;
    const steps = this.options.explain ? ([] as TraceStep[]) : undefined;
    const budget = ruleBudget(this.budget, policy.namespace);
    const allowed = budget.left;
    let outcome: MaybeOutcome;
    this.answers.startRule(this.sequenceOf(candidate));
    try {
      if (allowed <= 0) outcome = overBudget('earlier rules used up the work budget of the request');
      else outcome = rule.run(this.startRun(candidate, steps, budget), this.exceptionsOf(policy, rule));
    } catch (thrown) {
      if (thrown instanceof Need && !this.answers.isLast) {
        this.ruleResults[index] = undefined;
        return thrown.lookUps;
      }
      // An exception fails only the rule that threw it.
      outcome = errored(
        thrown instanceof Need ? 'the rule needs more rounds of look-ups than allowed' : errorMessage(thrown),
      );
    } finally {
      this.answers.endRule();
      const used = Math.min(allowed, allowed - budget.left);
      this.usedUnits += used;
      settleRule(this.budget, policy.namespace, used);
    }
    if (outcome?.status === 'error' && budget.left < 0) {
      const message = `${outcome.message} (more than ${allowed} units of work)`;
      outcome = { ...outcome, message, code: 'budget-exceeded' };
    }
    if (!outcome) {
      if (steps) this.silent.push({ policy, rule, steps });
      return undefined;
    }
    this.ruleResults[index] = resultOf(outcome, policy, rule, steps ?? noSteps);
    if (outcome.patched && !rule.actsOnOthers) this.request = { ...this.request, object: outcome.patched };
    return undefined;
  }

  /** The rules that are suspended one after the other; all others at the same time. */
  private sequenceOf(candidate: RuleCandidate): object {
    if (this.isChained) return this;
    return candidate.policy.applyOne ? candidate.policy : candidate;
  }

  private exceptionsOf(policy: CompiledPolicy, rule: CompiledRule): readonly CompiledException[] {
    if (this.exceptions.length === 0) return this.exceptions;
    let byRule = covering.get(this.exceptions);
    if (!byRule) covering.set(this.exceptions, (byRule = new WeakMap()));
    let found = byRule.get(rule);
    if (!found) {
      found = this.exceptions.filter((exception) => exception.covers(policy, rule.name));
      byRule.set(rule, found);
    }
    return found;
  }

  private startRun({ policy, rule }: RuleCandidate, steps: TraceStep[] | undefined, budget: WorkBudget): Run {
    const { options, answers: known, clock, scopeOf } = this;
    const given = options.given?.(policy, rule);
    const variables = options.variables?.(policy, rule);
    const trace = steps && ((step: TraceStep) => void steps.push(step));
    return new RuleRun({ policy, rule, known, budget, clock, given, variables, trace, scopeOf }, this.request);
  }

  private readonly scopeOf = (request: PolicyRequest, { spec }: CompiledRule): Scope => {
    if (spec.imageExtractors || request !== this.request) return requestScope(request, spec.imageExtractors);
    if (this.shared?.request !== request) this.shared = { request, scope: requestScope(request) };
    return this.shared.scope;
  };
}

const overBudget = (message: string): RuleOutcome => ({ ...errored(message), code: 'budget-exceeded' });

/** Names every field, because this is a hot path and spreading an outcome is many times slower. */
function resultOf(
  { status, message, code, ruleName, path, patched, targets, generated, copies, exceptions, properties }: RuleOutcome,
  policy: CompiledPolicy,
  rule: CompiledRule,
  steps: readonly TraceStep[],
): RuleResult {
  return {
    policy,
    rule,
    status,
    message,
    code,
    ruleName,
    path,
    patched,
    targets,
    generated,
    copies,
    exceptions,
    properties,
    steps,
  };
}
