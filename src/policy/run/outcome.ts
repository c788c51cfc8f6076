import type { KubeObject } from '../../object/index.ts';

export type RuleStatus = 'pass' | 'fail' | 'error' | 'skip';

/** The outcome of one rule, before it is attributed to a policy. */
export interface RuleOutcome {
  readonly status: RuleStatus;
  readonly message: string;
  /** Why a rule could not be evaluated, if callers handle that reason. */
  readonly code?: 'budget-exceeded' | undefined;
  /** The name that the result is reported under, where it is not that of the rule. */
  readonly ruleName?: string | undefined;
  /** The path in the object that caused the outcome. */
  readonly path?: string | undefined;
  /** Mutate rules: the patched object. */
  readonly patched?: KubeObject | undefined;
  /** Mutate-existing rules: the patched targets. */
  readonly targets?: readonly KubeObject[] | undefined;
  /** Generate rules: the desired downstream objects. */
  readonly generated?: readonly KubeObject[] | undefined;
  /** Those of them that are copies, each with the object that it was copied from. Only policies of expressions tell. */
  readonly copies?: ReadonlyMap<KubeObject, KubeObject> | undefined;
  /** Keys of the exceptions that apply. */
  readonly exceptions?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** With every field: results are made of outcomes for each rule of each request, and reading a few shapes is fast. */
const outcome = (status: RuleStatus, message: string, path?: string): Required<RuleOutcome> => ({
  status,
  message,
  code: undefined,
  ruleName: undefined,
  path,
  patched: undefined,
  targets: undefined,
  generated: undefined,
  copies: undefined,
  exceptions: undefined,
  properties: undefined,
});

export const pass = (message: string): RuleOutcome => outcome('pass', message);
export const skip = (message: string): RuleOutcome => outcome('skip', message);
export const failed = (message: string, path?: string): RuleOutcome => outcome('fail', message, path);
export const errored = (message: string): RuleOutcome => outcome('error', message);

/** Undefined when there is no result: no element to check, or a check that does not apply to DELETE. */
export type MaybeOutcome = RuleOutcome | undefined;

export function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator);
}
