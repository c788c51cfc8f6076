import type { Operation } from './plan.ts';
import type { Refusal } from './policy.ts';

/** How a run ended; `incomplete` if a roll-back did not succeed in full. */
type SyncOutcome = 'succeeded' | 'failed' | 'incomplete';

/** A policy that failed, or the reason why the whole run failed. */
export type SyncFailure = Pick<Refusal, 'ref' | 'label' | 'reason' | 'object'> & {
  readonly action: 'apply' | 'delete';
};

export interface SyncResult {
  readonly outcome: SyncOutcome;
  readonly isDryRun: boolean;
  readonly durationMs: number;
  readonly applied: readonly Operation[];
  readonly updated: readonly Operation[];
  readonly removed: readonly Operation[];
  readonly failed: readonly SyncFailure[];
  readonly rolledBack: readonly Operation[];
  readonly unchanged: number;
}

/** A line of the run log; fields are printed in this order. */
export interface SyncLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The last line of every run. Monitoring parses it, so its format is fixed. */
export function closingLine(result: SyncResult): SyncLine {
  const labels = (operations: readonly Operation[]) => operations.map(({ ref }) => ref.label);
  const { applied, updated, removed, failed, rolledBack } = result;
  return {
    level: 'info',
    msg: 'Policy sync completed',
    success: result.outcome === 'succeeded',
    duration: `${(result.durationMs / 1000).toFixed(1)}s`,
    summary: `Applied ${applied.length}, Updated ${updated.length}, Removed ${removed.length}, Failed ${failed.length}`,
    applied: labels(applied),
    updated: labels(updated),
    removed: labels(removed),
    failed: failed.map(({ label, reason }) => `${label}: ${reason}`),
    rolledBack: labels(rolledBack),
    dryRun: result.isDryRun,
  };
}
