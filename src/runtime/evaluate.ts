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

/** Fetches look-ups of rules. A failure becomes an answer, so that it affects only the rules that need it. */
export interface LookUps {
  answer(lookUp: LookUp, signal: AbortSignal): Promise<LookUpAnswer>;
  /**
   * What `answer` would give without waiting, a refusal included: the rule need not be suspended for it. Undefined where
   * something must be fetched.
   */
  ready?(lookUp: LookUp): LookUpAnswer | undefined;
}

/** Look-ups that may answer synchronously. */
export interface ReadyLookUps {
  answer(lookUp: LookUp, signal: AbortSignal): MaybePromise<LookUpAnswer>;
  ready?(lookUp: LookUp): LookUpAnswer | undefined;
}

interface EvaluateOptions extends Omit<EvaluationOptions, 'mayPause' | 'ready'> {
  readonly lookUps: ReadyLookUps;
  /** A function if creating a signal is expensive: most evaluations need no look-up. */
  readonly signal: AbortSignal | (() => AbortSignal);
  /** Answers so far, shared by the phases of one request, so that nothing is fetched twice. */
  readonly known?: Map<string, LookUpAnswer>;
  /** If set, heavy evaluations run in slices and yield to other requests. */
  readonly turns?: EvaluationTurns | undefined;
}

/** Runs one phase to its end, synchronously if nothing is looked up. The look-ups of one round are fetched concurrently. */
export function evaluate(
  programs: readonly PolicyProgram[],
  request: PolicyRequest,
  options: EvaluateOptions,
): MaybePromise<Evaluation> {
  const { turns, lookUps } = options;
  const known = options.known ?? new Map<string, LookUpAnswer>();
  const ready = lookUps.ready && readyAnswers(lookUps, known);
  const mayPause = turns !== undefined;
  const evaluation = createEvaluation(programs, request, { ...options, mayPause, ready });
  const namespace = namespaceOf(request);
  if (turns?.isHeavy(namespace)) return evaluateInTurns(evaluation, [], { ...options, known, namespace });
  for (let needs = evaluation.advance(known); ; needs = evaluation.advance(known)) {
    if (turns && evaluation.usedUnits >= heavyUnits) turns.charge(namespace);
    if (needs.length === 0 && !evaluation.isPaused) return evaluation;
    const answers = needs.map((need) => answerOf(lookUps, need, signalOf(options)));
    if (evaluation.isPaused || answers.some((answer) => answer instanceof Promise))
      return evaluateInTurns(evaluation, needs, { ...options, known, namespace }, answers);
    for (const [i, need] of needs.entries()) known.set(lookUpKey(need), answers[i] as LookUpAnswer);
  }
}

const signalOf = ({ signal }: EvaluateOptions) => (typeof signal === 'function' ? signal() : signal);

interface TurnOptions extends EvaluateOptions {
  readonly known: Map<string, LookUpAnswer>;
  readonly namespace: string;
}

async function evaluateInTurns(
  evaluation: Evaluation,
  firstNeeds: readonly LookUp[],
  options: TurnOptions,
  firstAnswers?: readonly MaybePromise<LookUpAnswer>[],
): Promise<Evaluation> {
  const { lookUps, known, turns, namespace } = options;
  const signal = () => signalOf(options);
  let pending = firstAnswers;
  for (let needs = firstNeeds; ; ) {
    const answers = await Promise.all(pending ?? needs.map((need) => answerOf(lookUps, need, signal())));
    pending = undefined;
    for (const [i, need] of needs.entries()) known.set(lookUpKey(need), answers[i]!);
    if (turns && (evaluation.isPaused || turns.isHeavy(namespace))) {
      await turns.next(namespace, signal());
      if (signal().aborted) {
        evaluation.expire('the deadline of the review passed before the rule was evaluated');
        return evaluation;
      }
    }
    const usedBefore = evaluation.usedUnits;
    needs = evaluation.advance(known);
    if (turns && evaluation.usedUnits - usedBefore >= heavyUnits) turns.charge(namespace);
    if (needs.length === 0 && !evaluation.isPaused) return evaluation;
  }
}

/** The namespace that is charged for heavy evaluations. Policies of a namespace match only objects of that namespace. */
function namespaceOf({ object, oldObject }: PolicyRequest): string {
  return (object ?? oldObject)?.metadata.namespace ?? '';
}

/** Kept with those that were fetched, so that all rules and phases of a request see the same. */
function readyAnswers(lookUps: ReadyLookUps, known: Map<string, LookUpAnswer>): EvaluationOptions['ready'] {
  return (lookUp, key) => {
    let answer: LookUpAnswer | undefined;
    try {
      answer = lookUps.ready?.(lookUp);
    } catch (thrown) {
      answer = failed(thrown);
    }
    if (answer) known.set(key, answer);
    return answer;
  };
}

const failed = (thrown: unknown): LookUpAnswer => ({ ok: false, message: errorMessage(thrown) });

function answerOf(lookUps: ReadyLookUps, need: LookUp, signal: AbortSignal): MaybePromise<LookUpAnswer> {
  try {
    const answer = lookUps.answer(need, signal);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (thrown) {
    return failed(thrown);
  }
}
