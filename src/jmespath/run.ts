import type { Clock } from '../base/index.ts';
import { CallFailure, JmespathError, type JmespathErrorCode } from './errors.ts';
import { defaultSteps, maxTextLength } from './limits.ts';
import type { Bindings, Scope } from './scope.ts';

/** What an evaluation may ask of the world. What is left out is not available to the expression. */
export interface Environment {
  /** For `time_now`, `time_now_utc` and `time_since`. */
  readonly clock?: Pick<Clock, 'now'>;
  /** For `random`: numbers from 0 up to but not including 1. */
  readonly random?: () => number;
  /** For `is_external_url`: the addresses of a host name, known beforehand. May throw to ask for a look-up. */
  readonly resolveHost?: (host: string) => readonly string[];
  /** For `image_normalize`; docker.io by default. */
  readonly defaultRegistry?: string;
  /** For `image_normalize`: false leaves a name without registry as it is; true by default. */
  readonly addDefaultRegistry?: boolean;
  /** What `$variables` stand for; `let` puts its own over these. */
  readonly bindings?: Bindings | undefined;
  /** Units of work allowed, see `defaultSteps`. */
  readonly steps?: number;
  /** Units that several evaluations share; each takes off what it has used. */
  readonly budget?: WorkBudget;
}

/** What is left to spend; below zero everything that costs is refused. */
export interface WorkBudget {
  left: number;
}

const nothing: Environment = {};

/** The state of one evaluation: what is left of its budget, and the key that was missed last. */
export class Run {
  private left: number;
  private readonly allowed: number;
  missedKey = '';
  missedAt = 0;
  bindings: Bindings | undefined;

  constructor(
    readonly expression: string,
    readonly scope: Scope | undefined,
    /** What `$` means. */
    readonly root: unknown,
    readonly env: Environment = nothing,
  ) {
    this.bindings = env.bindings;
    this.left = this.allowed = Math.min(env.steps ?? defaultSteps, env.budget?.left ?? Number.POSITIVE_INFINITY);
  }

  /** Takes what was used off the budget that is shared. */
  settle(): void {
    if (this.env.budget) this.env.budget.left -= this.allowed - this.left;
  }

  /** Takes units of work off the budget. */
  charge(units: number): void {
    if ((this.left -= units) < 0) {
      throw new JmespathError('jmespath-limit', 'the evaluation takes too much work', {
        expression: this.expression,
        offset: 0,
      });
    }
  }

  /** Pays for text about to be made or searched. */
  chargeText(length: number): void {
    if (length > maxTextLength) {
      throw new JmespathError('jmespath-limit', `a text of ${length} characters is too long`, {
        expression: this.expression,
        offset: 0,
      });
    }
    this.charge(1 + length / 32);
  }

  error(code: JmespathErrorCode, message: string, offset: number, cause?: unknown): JmespathError {
    return new JmespathError(code, message, { expression: this.expression, offset, cause });
  }

  unknownKey(): JmespathError {
    return new JmespathError('jmespath-unknown-key', `Unknown key "${this.missedKey}" in path`, {
      expression: this.expression,
      offset: this.missedAt,
      key: this.missedKey,
    });
  }

  now(): number {
    if (!this.env.clock) throw new CallFailure('jmespath-not-available', 'the time is not available here');
    return this.env.clock.now();
  }

  random(): number {
    if (!this.env.random) throw new CallFailure('jmespath-not-available', 'randomness is not available here');
    return this.env.random();
  }
}
