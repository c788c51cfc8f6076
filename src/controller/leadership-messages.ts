import type { LeaderElectionOptions } from './leader-election.ts';

/** Who stands for which lease, as plain data: it crosses to another thread. */
export interface Candidacy
  extends Pick<LeaderElectionOptions, 'lease' | 'identity' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> {
  readonly group: string;
  /** Holders whose identity begins so were this candidate in an earlier life. */
  readonly predecessors?: string | undefined;
}

/** How work or an election ended badly. */
export interface RemoteFailure {
  readonly code: string;
  readonly message: string;
  /** Work goes on although it was told to stop: the lease must run out. */
  readonly isStillRunning: boolean;
}

export type ToLeadershipHost =
  | { readonly kind: 'campaign'; readonly candidacy: Candidacy }
  | { readonly kind: 'resign'; readonly group: string }
  /** The work of the term has ended. */
  | { readonly kind: 'settled'; readonly group: string; readonly failure?: RemoteFailure | undefined };

export type FromLeadershipHost =
  | { readonly kind: 'lead'; readonly group: string }
  | { readonly kind: 'cease'; readonly group: string; readonly isLost: boolean }
  | { readonly kind: 'over'; readonly group: string; readonly failure?: RemoteFailure | undefined }
  | { readonly kind: 'holder'; readonly group: string; readonly holder: string }
  | { readonly kind: 'leading'; readonly group: string; readonly isLeading: boolean };
