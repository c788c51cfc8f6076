import type { LeaderElectionOptions } from './leader-election.ts';

/** A candidate and its lease, as plain data that crosses to another thread. */
export interface Candidacy
  extends Pick<LeaderElectionOptions, 'lease' | 'identity' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> {
  readonly group: string;
  /** Holders whose identity starts with this prefix are earlier processes of this candidate. */
  readonly predecessors?: string | undefined;
}

/** Why work or an election failed. */
export interface RemoteFailure {
  readonly code: string;
  readonly message: string;
  /** The work still runs although it was stopped: the lease must expire. */
  readonly isStillRunning: boolean;
}

export type ToLeadershipHost =
  | { readonly kind: 'campaign'; readonly candidacy: Candidacy }
  | { readonly kind: 'resign'; readonly group: string }
  /** The work of the leader session has ended. */
  | { readonly kind: 'settled'; readonly group: string; readonly failure?: RemoteFailure | undefined };

export type FromLeadershipHost =
  | { readonly kind: 'lead'; readonly group: string }
  | { readonly kind: 'cease'; readonly group: string; readonly isLost: boolean }
  | { readonly kind: 'over'; readonly group: string; readonly failure?: RemoteFailure | undefined }
  | { readonly kind: 'holder'; readonly group: string; readonly holder: string }
  | { readonly kind: 'leading'; readonly group: string; readonly isLeading: boolean };
