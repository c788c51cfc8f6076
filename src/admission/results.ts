import type { PolicyRequest, RuleResult } from '../policy/index.ts';

/** The rule results of one request. Do not keep a reference beyond the call: the objects are complete and may be large. */
export interface AdmissionResults {
  readonly request: PolicyRequest;
  readonly results: readonly RuleResult[];
  /** The request was denied because of these results. */
  readonly isBlocked: boolean;
}

/** Called after the response is sent; never called for dry runs. */
export type OnResults = (results: AdmissionResults) => void;
