/**
 * The engine for Kyverno's policy language. `compilePolicy` compiles a policy to a program once, or reports what is wrong
 * with it. An evaluation runs programs on a request and returns rule results, or the look-ups that it still needs.
 *
 * Invariants: no I/O, no clock and no randomness of its own; inputs are never changed.
 */
export { autogenAnnotation, autogenRuleNames, expandRules, kindOf, kindsOf } from './autogen/index.ts';
export { shownNamespace } from './cel/index.ts';
export { compileException, compilePolicy, confineException } from './compile/index.ts';
export { type Condition as PolicyCondition, parseConditionBlock } from './condition/index.ts';
export { type Known, type LookUp, type LookUpAnswer, lookUpKey } from './context/index.ts';
export { createEvaluation } from './evaluate/evaluation.ts';
export { type DerivedSpec, derivedSpecsOf, isKindPolicy } from './kinds/index.ts';
export { compileKinds, type FilterExplanation, type KindMatcher, parseKindSelector } from './match/index.ts';
export { durationOf, operatorOf, parseAnchor, quantityOf } from './pattern/index.ts';
export type {
  Evaluation,
  EvaluationOptions,
  ExceptionProgram,
  FailureAction,
  MatchCondition,
  Phase,
  PolicyProgram,
  RuleProgram,
  RuleResult,
  SilentRule,
} from './program.ts';
export type { RuleReads } from './reads.ts';
export {
  guessPlural,
  type MatchedKind,
  type Payload,
  type PolicyOperation,
  type PolicyRequest,
  type RequestInfo,
  type RequestUser,
} from './request.ts';
export { heavyUnits, newRequestBudget, type RequestBudget } from './run/budget.ts';
export type { RuleStatus } from './run/outcome.ts';
export type { TraceStep } from './run/trace.ts';
export type { MatchBlock, PolicyIssue, PolicyObject, ResourceFilter, RuleSpec } from './types.ts';
export { findVariables } from './variables/index.ts';
