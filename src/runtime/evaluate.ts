import { errorMessage, type Soon } from '../base/index.ts';
import {
  createEvaluation,
  type Evaluation,
  type EvaluationOptions,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  type PolicyProgram,
  type PolicyRequest,
} from '../policy/index.ts';

/** Fetches what rules ask for. A failure is an answer: only the rule that asked is the worse for it. */
export interface LookUps {
  answer(lookUp: LookUp, signal: AbortSignal): Promise<LookUpAnswer>;
}

export interface EvaluateOptions extends EvaluationOptions {
  readonly lookUps: LookUps;
  /** A function where making one costs: most evaluations look nothing up. */
  readonly signal: AbortSignal | (() => AbortSignal);
  /** Shared by the phases of one request, so that nothing is asked for twice. */
  readonly known?: Map<string, LookUpAnswer>;
}

/** Runs one phase to its end, at once where nothing is looked up; whatever a round of it needs is fetched together. */
export function evaluate(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  options: EvaluateOptions,
): Soon<Evaluation> {
  const evaluation = createEvaluation(programs, request, options);
  const known = options.known ?? new Map<string, LookUpAnswer>();
  const needs = evaluation.advance(known);
  return needs.length === 0 ? evaluation : lookUpAndGoOn(evaluation, needs, known, options);
}

async function lookUpAndGoOn(
  evaluation: Evaluation,
  firstNeeds: readonly LookUp[],
  known: Map<string, LookUpAnswer>,
  { lookUps, signal }: EvaluateOptions,
): Promise<Evaluation> {
  for (let needs = firstNeeds; needs.length > 0; needs = evaluation.advance(known)) {
    const answers = await Promise.all(
      needs.map((need) => answerOf(lookUps, need, typeof signal === 'function' ? signal() : signal)),
    );
    for (const [i, need] of needs.entries()) known.set(lookUpKey(need), answers[i]!);
  }
  return evaluation;
}

async function answerOf(lookUps: LookUps, need: LookUp, signal: AbortSignal): Promise<LookUpAnswer> {
  try {
    return await lookUps.answer(need, signal);
  } catch (thrown) {
    return { ok: false, message: errorMessage(thrown) };
  }
}
