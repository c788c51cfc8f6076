/**
 * Kyverno's policy language: policies in, verdicts out. `compilePolicy` turns a policy into a program once, or says
 * what is wrong with it; an evaluation runs programs against a request and answers with results, or names the look-ups
 * it still needs. No I/O, no clock, no randomness of its own; no input is ever changed.
 */
export { kindOf, kindsOf } from './autogen/index.ts';
export { compileException, compilePolicy, confineException } from './compile/index.ts';
export { type Known, type LookUp, type LookUpAnswer, lookUpKey, parseImage } from './context/index.ts';
export { PolicyError } from './errors.ts';
export { heavyUnits, newRequestBudget, type RequestBudget } from './evaluate/budget.ts';
export { createEvaluation } from './evaluate/evaluation.ts';
export type { RuleOutcome, RuleStatus } from './evaluate/outcome.ts';
export type { TraceStep } from './evaluate/trace.ts';
export { compileKinds, type FilterExplanation, type FilterPart, type KindMatcher } from './match/index.ts';
export type {
  CompileResult,
  Evaluation,
  EvaluationOptions,
  ExceptionProgram,
  FailureAction,
  Phase,
  PolicyProgram,
  RuleProgram,
  RuleResult,
  SilentRule,
} from './program.ts';
export type { RuleReads } from './reads.ts';
export type { PolicyOperation, PolicyRequest, RequestInfo, RequestUser } from './request.ts';
export type { PolicyIssue, PolicyObject, PolicySpec, RuleSpec } from './types.ts';
