import type { Controllers } from './controllers.ts';
import type { KindWatch } from './kind-watch.ts';
import { RescanRequests } from './rescan-requests.ts';

/** The state of a policy's results: not known yet, being recomputed, or final. */
export type ScanProgress = 'unknown' | 'changing' | 'settled';

/** What a scan watches and still has to do. Only the scanner changes it; later stages read it. */
export class ScanState {
  readonly watches = new Map<string, KindWatch>();
  readonly rescans = new RescanRequests();
  readonly changedPolicies = new Set<string>();
  /** Whether the policies were applied once, so that the watched types are known. */
  hasApplied = false;
  /** Set at the start of the run. */
  controllers: Controllers | undefined;

  /** For one policy, or for all where reports are not split. */
  progressOf(policy: string | undefined): ScanProgress {
    if (!this.hasApplied) return 'unknown';
    for (const watch of this.watches.values()) {
      if (watch.isComplete || isExcludedFromReports(watch, policy)) continue;
      if (policy === undefined || watch.policies.has(policy)) return 'unknown';
    }
    const isChanging =
      policy === undefined
        ? this.changedPolicies.size > 0 || this.rescans.affects(undefined)
        : this.changedPolicies.has(policy) || this.rescans.affects(policy);
    return isChanging ? 'changing' : 'settled';
  }
}

/**
 * A kind that we are not allowed to list does not hold back the results of others. Any other failure does, where
 * reports are split: earlier results of that kind must not be removed because it cannot be read.
 */
function isExcludedFromReports({ failure }: KindWatch, policy: string | undefined): boolean {
  return failure !== undefined && (failure.isForbidden || policy === undefined);
}
