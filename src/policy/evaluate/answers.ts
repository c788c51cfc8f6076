import type { Known, LookUp, LookUpAnswer } from '../context/index.ts';
import type { EvaluationOptions } from '../program.ts';

/** Bounds the rounds of look-ups, so that a rule cannot request look-ups forever. */
const maxRounds = 16;

const none: Known = new Map<string, LookUpAnswer>();

interface ReadyAnswer {
  readonly answer: LookUpAnswer;
  /** The sequence that it was counted for last. */
  by: object;
}

/**
 * The answers to the look-ups of one evaluation: those of the rounds before, and those that the caller has ready. A ready
 * one does not suspend the rule, yet counts as if it had: what a rule may look up does not depend on what is ready.
 */
export class Answers implements Known {
  private rounds = 0;
  private known: Known = none;
  /** Found ready in this round. */
  private found: Map<string, ReadyAnswer> | undefined;
  /** The rounds that sequences of rules were spared. */
  private spared: Map<object, number> | undefined;
  private sequence: object = this;
  private left = 0;
  private sparedNow = 0;

  constructor(private readonly ready: EvaluationOptions['ready']) {}

  startRound(known: Known): void {
    this.rounds++;
    this.found?.clear();
    this.resume(known);
  }

  /** Goes on with the same round, after a pause. */
  resume(known: Known): void {
    this.known = known;
  }

  /** A rule starts. Rules of one sequence wait for each other: what one of them has waited for, the next need not. */
  startRule(sequence: object): void {
    this.sequence = sequence;
    this.sparedNow = 0;
    this.left = maxRounds - this.rounds - (this.spared?.get(sequence) ?? 0);
  }

  endRule(): void {
    if (this.sparedNow === 0) return;
    this.spared ??= new Map();
    this.spared.set(this.sequence, (this.spared.get(this.sequence) ?? 0) + this.sparedNow);
  }

  /** Whether the rule may not be suspended again. */
  get isLast(): boolean {
    return this.sparedNow >= this.left;
  }

  get(key: string, lookUp: LookUp): LookUpAnswer | undefined {
    const found = this.found?.get(key);
    if (!found) return this.known.get(key, lookUp) ?? this.findReady(key, lookUp);
    if (found.by === this.sequence) return found.answer;
    if (this.isLast) return undefined;
    this.sparedNow++;
    found.by = this.sequence;
    return found.answer;
  }

  private findReady(key: string, lookUp: LookUp): LookUpAnswer | undefined {
    if (!this.ready || this.isLast) return undefined;
    const answer = this.ready(lookUp, key);
    if (!answer) return undefined;
    this.sparedNow++;
    (this.found ??= new Map()).set(key, { answer, by: this.sequence });
    return answer;
  }
}
