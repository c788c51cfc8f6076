import { backoffMs } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import { type FailedTrigger, failedKey, failedTrigger, maxFailed } from './checkpoint.ts';
import type { TriggerOperation } from './trigger.ts';

/** After so many attempts, some hours, a trigger is given up. */
const maxAttempts = 16;
const pauses = { baseMs: 1_000, maxMs: 30 * 60_000, factor: 3 };

export type Verdict = { readonly retryAfterMs: number } | { readonly givenUp: string };

/** The triggers that failed and are tried again: few, by key, oldest first. */
export class Failures {
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

  /** Remembers one more failure; when there is no room the oldest is given up. */
  add(trigger: Omit<FailedTrigger, 'attempts'>): { readonly key: string } & Verdict {
    const key = failedKey(trigger);
    const attempts = (this.failed.get(key)?.attempts ?? 0) + 1;
    this.failed.delete(key);
    if (attempts >= maxAttempts) return { key, givenUp: `it failed ${attempts} times: ${trigger.error}` };
    this.failed.set(key, failedTrigger({ ...trigger, attempts }));
    return { key, retryAfterMs: backoffMs(attempts - 1, { ...pauses, random: this.random }) };
  }

  /** What must go because there are too many. */
  overflow(): FailedTrigger | undefined {
    if (this.failed.size <= maxFailed) return undefined;
    const [key, oldest] = this.failed.entries().next().value as [string, FailedTrigger];
    this.failed.delete(key);
    return oldest;
  }

  delete(policy: string, type: ResourceType, uid: string, operation: TriggerOperation): boolean {
    return this.failed.delete(failedKey({ policy, type, uid, operation }));
  }
}
