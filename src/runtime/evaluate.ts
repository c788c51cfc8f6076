import { errorMessage, type MaybePromise } from '../base/index.ts';
import {
  createEvaluation,
  type Evaluation,
  type EvaluationOptions,
  heavyUnits,
  type LookUp,
  type LookUpAnswer,
  lookUpKey,
  type PolicyProgram,
  type PolicyRequest,
} from '../policy/index.ts';
import type { EvaluationTurns } from './evaluation-turns.ts';

/** Fetches what rules ask for. A failure is an answer: only the rule that asked is the worse for it. */
export interface LookUps {
  answer(lookUp: LookUp, signal: AbortSignal): Promise<LookUpAnswer>;
}

/** Those of somebody who may have the answer at hand: then nothing waits. */
export interface ReadyLookUps {
  answer(lookUp: LookUp, signal: AbortSignal): MaybePromise<LookUpAnswer>;
}

export interface EvaluateOptions extends Omit<EvaluationOptions, 'mayPause'> {
  readonly lookUps: ReadyLookUps;
  /** A function where making one costs: most evaluations look nothing up. */
  readonly signal: AbortSignal | (() => AbortSignal);
  /** Shared by the phases of one request, so that nothing is asked for twice. */
  readonly known?: Map<string, LookUpAnswer>;
  /** Where others wait for the same event loop: heavy evaluations are sliced, and give way to them. */
  readonly turns?: EvaluationTurns | undefined;
}

/** Runs one phase to its end, at once where nothing is looked up; whatever a round of it needs is fetched together. */
export function evaluate(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  options: EvaluateOptions,
): MaybePromise<Evaluation> {
  const { turns } = options;
  const evaluation = createEvaluation(programs, request, turns ? { ...options, mayPause: true } : options);
  const known = options.known ?? new Map<string, LookUpAnswer>();
  const namespace = namespaceOf(request);
  if (turns?.isHeavy(namespace)) return inTurns(evaluation, [], { ...options, known, namespace });
  for (let needs = evaluation.advance(known); ; needs = evaluation.advance(known)) {
    if (turns && evaluation.usedUnits >= heavyUnits) turns.charge(namespace);
    if (needs.length === 0 && !evaluation.isPaused) return evaluation;
    const answers = needs.map((need) => answerOf(options.lookUps, need, signalOf(options)));
    if (evaluation.isPaused || answers.some((answer) => answer instanceof Promise))
      return inTurns(evaluation, needs, { ...options, known, namespace }, answers);
    for (const [i, need] of needs.entries()) known.set(lookUpKey(need), answers[i] as LookUpAnswer);
  }
}

const signalOf = ({ signal }: EvaluateOptions) => (typeof signal === 'function' ? signal() : signal);

interface Turns extends EvaluateOptions {
  readonly known: Map<string, LookUpAnswer>;
  readonly namespace: string;
}

async function inTurns(
  evaluation: Evaluation,
  firstNeeds: readonly LookUp[],
  options: Turns,
  firstAnswers?: readonly MaybePromise<LookUpAnswer>[],
): Promise<Evaluation> {
  const { lookUps, known, turns, namespace } = options;
  const signal = () => signalOf(options);
  let asked = firstAnswers;
  for (let needs = firstNeeds; ; ) {
    const answers = await Promise.all(asked ?? needs.map((need) => answerOf(lookUps, need, signal())));
    asked = undefined;
    for (const [i, need] of needs.entries()) known.set(lookUpKey(need), answers[i]!);
    if (turns && (evaluation.isPaused || turns.isHeavy(namespace))) {
      await turns.next(namespace, signal());
      if (signal().aborted) {
        evaluation.expire('the time for the review ended before the rule was evaluated');
        return evaluation;
      }
    }
    const usedBefore = evaluation.usedUnits;
    needs = evaluation.advance(known);
    if (turns && evaluation.usedUnits - usedBefore >= heavyUnits) turns.charge(namespace);
    if (needs.length === 0 && !evaluation.isPaused) return evaluation;
  }
}

/** Whose requests these are: a namespaced policy is for objects of its own namespace only. */
function namespaceOf({ object, oldObject }: PolicyRequest): string {
  return (object ?? oldObject)?.metadata.namespace ?? '';
}

function answerOf(lookUps: ReadyLookUps, need: LookUp, signal: AbortSignal): MaybePromise<LookUpAnswer> {
  const failed = (thrown: unknown): LookUpAnswer => ({ ok: false, message: errorMessage(thrown) });
  try {
    const answer = lookUps.answer(need, signal);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (thrown) {
    return failed(thrown);
  }
}
