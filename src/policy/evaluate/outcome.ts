import type { KubeObject } from '../../object/index.ts';

export type RuleStatus = 'pass' | 'fail' | 'error' | 'skip';

/** How one rule ended. */
export interface RuleOutcome {
  readonly status: RuleStatus;
  readonly message: string;
  /** Why a rule could not be evaluated, where a program must know. */
  readonly code?: 'budget-exceeded' | undefined;
  /** Where in the object it was decided. */
  readonly path?: string | undefined;
  /** Mutate rules: the object as the rule leaves it. */
  readonly patched?: KubeObject | undefined;
  /** Mutate-existing rules: the targets as the rule leaves them. */
  readonly targets?: readonly KubeObject[] | undefined;
  /** Generate rules: what is to be there. */
  readonly generated?: readonly KubeObject[] | undefined;
  /** Names of the exceptions that let the object pass. */
  readonly exceptions?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

export const pass = (message: string): RuleOutcome => ({ status: 'pass', message });
export const skip = (message: string): RuleOutcome => ({ status: 'skip', message });
export const failed = (message: string, path?: string): RuleOutcome => ({
  status: 'fail',
  message,
  ...(path === undefined ? {} : { path }),
});
export const errored = (message: string): RuleOutcome => ({ status: 'error', message });

/** Nothing to say: no element was there, or the rule does not speak of deletions. */
export type MaybeOutcome = RuleOutcome | undefined;

export function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}
