import { gvkOf } from '../../object/index.ts';
import type { ExpandedRule } from '../autogen/index.ts';
import { compileContext, Need } from '../context/index.ts';
import {
  compileMayMatchKind,
  compileRuleMatch,
  explainBlock,
  matchedOperations,
  type RuleMatcher,
} from '../match/index.ts';
import type { Phase, RuleProgram } from '../program.ts';
import type { MatchedKind, PolicyRequest, RequestInfo } from '../request.ts';
import { type MaybeOutcome, type RuleOutcome, skip } from '../run/outcome.ts';
import { type Run, resolverOf, withContext } from '../run/run.ts';
import type { PolicyObject, PolicySpec, RuleSpec } from '../types.ts';
import { compileDocument } from '../variables/index.ts';
import { compileAssertCheck } from './assert.ts';
import { compileCelCheck } from './cel.ts';
import { compileConditions } from './conditions.ts';
import type { CompiledException } from './exceptions.ts';
import { compileFailureAction, isEnforced } from './failure-action.ts';
import { compileGenerate } from './generate.ts';
import { compileMessage } from './message.ts';
import { compileMutator, mutateOutcome } from './mutate.ts';
import { compileMutateExisting } from './mutate-existing.ts';
import { compilePodSecurityCheck, type PodSecurityCheck } from './pod-security.ts';
import { compileReads } from './reads.ts';
import { compileCheck, unmetPreconditions } from './validate.ts';
import { compileVerifyImages } from './verify-images.ts';

/** A rule ready to run on requests that it matches. */
export interface CompiledRule extends RuleProgram {
  /** May throw Need. Undefined when the rule has nothing to say. */
  run(run: Run, exceptions: readonly CompiledException[]): MaybeOutcome;
  /** `mismatchReason` for requests about objects of one kind, with what the kind decides already decided. */
  readonly mismatchReasonFor?: (
    kind: MatchedKind,
    subresource: string,
  ) => (request: PolicyRequest) => string | undefined;
}

type Body = (run: Run, exceptions: readonly CompiledException[]) => MaybeOutcome;

export function compileRule(policy: PolicyObject, { rule, name, origin, autogen }: ExpandedRule): CompiledRule {
  const policyNamespace = policy.kind === 'Policy' ? (policy.metadata.namespace ?? 'default') : undefined;
  const matches: RuleMatcher = compileRuleMatch({ match: rule.match, exclude: rule.exclude, policyNamespace });
  const load = rule.context?.length ? compileContext(rule.context) : undefined;
  const hasPreconditions = rule.preconditions !== undefined && rule.preconditions !== null;
  const preconditions = hasPreconditions ? compileConditions(rule.preconditions, 'preconditions') : undefined;
  const properties = rule.reportProperties && compileDocument(rule.reportProperties);
  const { phase, body } = compileBody(name, rule, policyNamespace ?? '');
  const toleratesExisting = rule.validate?.allowExistingViolations !== false && isEnforced(policy.spec, rule);
  return {
    name,
    origin,
    isDerived: autogen !== undefined,
    phase,
    spec: rule,
    mismatchReason: matches,
    explainMatch: (request) => [
      ...explainBlock('match', rule.match ?? {}, request),
      ...(rule.exclude ? explainBlock('exclude', rule.exclude, request) : []),
    ],
    mayMatchKind: compileMayMatchKind(rule.match),
    actsOnOthers: phase === 'generate' || rule.mutate?.targets !== undefined,
    actsOnExisting: actsOnExisting(policy.spec, rule),
    reads: compileReads(policy.spec, rule),
    operations: matchedOperations(rule.match),
    failureAction: compileFailureAction(policy.spec, rule),
    run(outer, exceptions) {
      const loaded = (run: Run) => (load ? withContext(run, load) : run);
      const judge = (run: Run) => (preconditions && unmetPreconditions(preconditions, run)) ?? body(run, exceptions);
      const run = loaded(outer);
      const first = judge(run);
      const outcome = toleratesExisting ? tolerated(outer, first, matches, (old) => judge(loaded(old))) : first;
      return outcome && properties ? withProperties(outcome, properties, run) : outcome;
    },
  };
}

function actsOnExisting(spec: PolicySpec, { generate, mutate }: RuleSpec): boolean {
  if (generate)
    return generate.generateExisting ?? spec.generateExisting ?? spec.generateExistingOnPolicyUpdate ?? false;
  return mutate?.mutateExistingOnPolicyUpdate ?? spec.mutateExistingOnPolicyUpdate ?? false;
}

function withProperties(outcome: RuleOutcome, template: ReturnType<typeof compileDocument>, run: Run): RuleOutcome {
  try {
    return { ...outcome, properties: template.resolve(resolverOf(run)) as Readonly<Record<string, string>> };
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    // Properties are decoration: a variable that fails there does not change the verdict.
    return outcome;
  }
}

function compileBody(
  name: string,
  rule: RuleSpec,
  policyNamespace: string,
): { readonly phase: Phase; readonly body: Body } {
  if (rule.validate) return { phase: 'validate', body: compileValidate(name, rule) };
  if (rule.mutate?.targets)
    return { phase: 'mutate', body: excusable(compileMutateExisting(rule.mutate, policyNamespace)) };
  if (rule.mutate) {
    const mutator = compileMutator(rule.mutate);
    return {
      phase: 'mutate',
      body: excusable((run) => run.request.object && mutateOutcome(mutator(run, run.request.object))),
    };
  }
  if (rule.generate) return { phase: 'generate', body: excusable(compileGenerate(rule.generate)) };
  return { phase: 'verifyImages', body: excusable(compileVerifyImages(rule)) };
}

/** An exception that applies makes a skip of whatever the rule would have said. */
function excusable(body: (run: Run) => MaybeOutcome): Body {
  return (run, exceptions) => excused(run, exceptions) ?? body(run);
}

function excused(run: Run, exceptions: readonly CompiledException[]): RuleOutcome | undefined {
  if (exceptions.length === 0) return undefined;
  const applying = exceptions.filter((exception) => exception.applies(run));
  if (applying.length === 0) return undefined;
  const keys = applying.map(({ key }) => key);
  for (const name of keys) run.trace?.({ kind: 'exception', name });
  return { ...skip(`rule is skipped due to policy exceptions ${keys.join(', ')}`), exceptions: keys };
}

function compileValidate(name: string, rule: RuleSpec): Body {
  const spec = rule.validate!;
  if (spec.assert !== undefined && spec.assert !== null) return excusable(compileAssertCheck(name, rule));
  if (spec.cel) return excusable(compileCelCheck(name, rule));
  const message = compileMessage(name, spec.message);
  if (spec.podSecurity) {
    const check = compilePodSecurityCheck(name, spec.podSecurity);
    return (run, exceptions) => podSecurityOutcome(run, exceptions, check);
  }
  const check = compileCheck(name, spec, message);
  return excusable((run) => check(run, undefined));
}

/** Exceptions for single controls narrow the check; any other excuses the whole rule. */
function podSecurityOutcome(run: Run, exceptions: readonly CompiledException[], check: PodSecurityCheck): MaybeOutcome {
  const applying = exceptions.filter((exception) => exception.applies(run));
  const whole = applying.find(({ podSecurity }) => podSecurity.length === 0);
  if (whole) return { ...skip(`rule is skipped due to policy exception ${whole.key}`), exceptions: [whole.key] };
  const outcome = check(run, []);
  if (outcome?.status !== 'fail' || applying.length === 0) return outcome;
  const narrowed = check(
    run,
    applying.flatMap(({ podSecurity }) => podSecurity),
  );
  if (narrowed?.status !== 'pass') return narrowed;
  const keys = applying.map(({ key }) => key);
  return { ...skip(`rule is skipped due to policy exceptions ${keys.join(', ')}`), exceptions: keys };
}

/** Whoever made the old object is not known, and need not be whoever asks now. */
const nobody: RequestInfo = {
  userInfo: { username: 'supercargo:nobody', groups: ['supercargo:nobody'] },
  roles: ['supercargo:none'],
  clusterRoles: ['supercargo:none'],
};

/**
 * An update of an object that broke an enforced rule before, and breaks it still, is let through: whoever changes a
 * label must not be the one to repair everything. The rule judges the old object as if it had just been created, from
 * its context and preconditions on, if it matches what is stored: rules about subresources and about users never do.
 */
function tolerated(
  run: Run,
  outcome: MaybeOutcome,
  matches: RuleMatcher,
  judge: (run: Run) => MaybeOutcome,
): MaybeOutcome {
  const { request } = run;
  if (outcome?.status !== 'fail' || request.operation !== 'UPDATE' || !request.oldObject) return outcome;
  const { oldObject } = request;
  const old = { ...request, operation: 'CREATE' as const, object: oldObject, oldObject: undefined };
  const asStored = { ...old, kind: gvkOf(oldObject), subresource: '', info: nobody };
  if (matches(asStored) !== undefined || judge(run.withRequest(old))?.status !== 'fail') return outcome;
  return skip('skipping the rule evaluation as pre-existing violations are allowed');
}
