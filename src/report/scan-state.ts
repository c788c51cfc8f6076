import type { Controllers } from './controllers.ts';
import type { KindWatch } from './kind-watch.ts';
import { RescanRequests } from './rescan-requests.ts';

/** How far the results of a policy are: not known yet, being worked out anew, or as they should be. */
export type ScanProgress = 'unknown' | 'changing' | 'settled';

/** What a scan follows and has yet to do. The scanner alone changes it; later stages read it. */
export class ScanState {
  readonly watches = new Map<string, KindWatch>();
  readonly rescans = new RescanRequests();
  readonly changedPolicies = new Set<string>();
  /** Whether the policies have been applied once: which types are watched is known. */
  hasApplied = false;
  /** Known from the start of the run. */
  controllers: Controllers | undefined;

  /** Of one policy, or of all where reports are not split. */
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
 * A kind that we may not list does not hold back what is known of others. Any other failure does, where reports are
 * split: what the policy said of that kind before must not be removed because it cannot be read.
 */
function isExcludedFromReports({ failure }: KindWatch, policy: string | undefined): boolean {
  return failure !== undefined && (failure.isForbidden || policy === undefined);
}
