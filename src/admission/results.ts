import type { PolicyRequest, RuleResult } from '../policy/index.ts';

/** What policies said of one request. Nothing here may be kept beyond the call: the objects are whole. */
export interface AdmissionResults {
  readonly request: PolicyRequest;
  readonly results: readonly RuleResult[];
  /** The request was refused because of these; else it was admitted as far as we are concerned. */
  readonly isBlocked: boolean;
}

/** Hears of results after the answer is out; never of dry runs. */
export type OnResults = (results: AdmissionResults) => void;
