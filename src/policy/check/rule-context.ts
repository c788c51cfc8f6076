import type { RuleSpec } from '../types.ts';
import type { Issues } from './issues.ts';
import type { ScopeOf } from './scope.ts';

/** What the checks of one rule share. */
export interface RuleCheck {
  readonly rule: RuleSpec;
  /** `spec.rules[3]` */
  readonly path: string;
  readonly issues: Issues;
  readonly policy: PolicyFacts;
}

export interface PolicyFacts {
  readonly isNamespaced: boolean;
  /** Empty for a ClusterPolicy. */
  readonly namespace: string;
  readonly background: boolean;
  readonly scopeOf: ScopeOf;
}

export function isSet<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}
