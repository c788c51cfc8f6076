import { backoffMs } from '../base/index.ts';
import { type FailedTrigger, failedKey, failedTrigger, maxFailed } from './checkpoint.ts';

/** Attempts before trigger given up; they take some hours. */
const maxAttempts = 16;
const pauses = { baseMs: 1_000, maxMs: 30 * 60_000, factor: 3 };

type RetryDecision = { readonly retryAfterMs: number } | { readonly givenUp: string };

/** Failed triggers that will be retried: bounded, by key, oldest first. */
export class FailedTriggers {
  private readonly failed: Map<string, FailedTrigger>;

  constructor(
    initial: readonly FailedTrigger[],
    private readonly random: () => number = Math.random,
  ) {
    this.failed = new Map(initial.map((one) => [failedKey(one), one]));
  }

  get size(): number {
    return this.failed.size;
  }

  entries(): readonly { readonly key: string; readonly failed: FailedTrigger }[] {
    return [...this.failed].map(([key, failed]) => ({ key, failed }));
  }

  list(): readonly FailedTrigger[] {
    return [...this.failed.values()];
  }

  get(key: string): FailedTrigger | undefined {
    return this.failed.get(key);
  }

  /** Records one more failure of the rules in `tried`; absent `tried` means all rules of the policy. */
  add(
    trigger: Omit<FailedTrigger, 'attempts'>,
    tried?: ReadonlySet<string> | undefined,
  ): { readonly key: string } & RetryDecision {
    const key = failedKey(trigger);
    const before = this.failed.get(key);
    const attempts = (before?.attempts ?? 0) + 1;
    this.failed.delete(key);
    if (attempts >= maxAttempts) return { key, givenUp: `it failed ${attempts} times: ${trigger.error}` };
    const left = before ? untried(before, tried) : [];
    const rules = left && trigger.rules && [...new Set([...left, ...trigger.rules])];
    this.failed.set(key, failedTrigger({ ...trigger, rules, attempts }));
    return { key, retryAfterMs: backoffMs(attempts - 1, { ...pauses, random: this.random }) };
  }

  /** Removes and returns the oldest entry when there are too many. */
  overflow(): FailedTrigger | undefined {
    if (this.failed.size <= maxFailed) return undefined;
    const [key, oldest] = this.failed.entries().next().value as [string, FailedTrigger];
    this.failed.delete(key);
    return oldest;
  }

  /** Whether the policy has failed triggers. */
  hasPolicy(policy: string): boolean {
    for (const failed of this.failed.values()) if (failed.policy === policy) return true;
    return false;
  }

  /** Records that the rules in `tried` succeeded. True when the list changed. */
  delete(
    trigger: Pick<FailedTrigger, 'policy' | 'type' | 'uid' | 'operation'>,
    tried?: ReadonlySet<string> | undefined,
  ): boolean {
    const key = failedKey(trigger);
    const before = this.failed.get(key);
    if (!before) return false;
    const rules = untried(before, tried);
    if (rules?.length === 0) return this.failed.delete(key);
    if (rules?.length === before.rules?.length) return false;
    this.failed.set(key, { ...before, rules });
    return true;
  }
}

/** Rules of a failed trigger that were not tried: names, or undefined for all rules of the policy. */
function untried({ rules }: FailedTrigger, tried: ReadonlySet<string> | undefined): readonly string[] | undefined {
  return tried ? rules?.filter((rule) => !tried.has(rule)) : [];
}
