import { errorCode, type Logger, onAbort } from '../base/index.ts';
import { ControllerError, describeThrown, StillRunningError } from './errors.ts';
import { createLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import type { Candidacy, FromLeadershipHost, RemoteFailure, ToLeadershipHost } from './leadership-messages.ts';

interface LeadershipHostOptions extends Pick<LeaderElectionOptions, 'client' | 'mayRenew' | 'clock' | 'random'> {
  readonly post: (message: FromLeadershipHost) => void;
  readonly log: Logger;
}

interface LeadershipHost {
  receive(message: ToLeadershipHost): void;
}

interface Campaign {
  readonly stop: AbortController;
  settle: ((failure: RemoteFailure | undefined) => void) | undefined;
}

/** Runs leader elections for work in another thread, so that leases are renewed while that thread computes. */
export function createLeadershipHost({ post, ...options }: LeadershipHostOptions): LeadershipHost {
  const elections = new Map<string, LeaderElection>();
  const campaigns = new Map<string, Campaign>();

  const electionOf = ({ predecessors, ...candidacy }: Candidacy): LeaderElection => {
    const { group } = candidacy;
    const found = elections.get(group);
    if (found) return found;
    const made = createLeaderElection({
      ...options,
      ...candidacy,
      isPredecessor: predecessors === undefined ? undefined : (holder) => holder.startsWith(predecessors),
      onNewLeader: (holder) => post({ kind: 'holder', group, holder }),
      onLeadingChanged: (isLeading) => post({ kind: 'leading', group, isLeading }),
    });
    elections.set(group, made);
    return made;
  };

  const leadOf = (group: string, campaign: Campaign) => async (leaderSession: AbortSignal) => {
    const settled = new Promise<RemoteFailure | undefined>((resolve) => {
      campaign.settle = resolve;
    });
    post({ kind: 'lead', group });
    const cease = () =>
      post({ kind: 'cease', group, isLost: errorCode(leaderSession.reason) === 'controller-lease-lost' });
    const unlink = onAbort(leaderSession, cease);
    const failure = await settled;
    unlink();
    if (failure) throw errorOf(failure);
  };

  const campaign = async (candidacy: Candidacy): Promise<void> => {
    const { group } = candidacy;
    const started: Campaign = { stop: new AbortController(), settle: undefined };
    campaigns.set(group, started);
    let failure: RemoteFailure | undefined;
    try {
      await electionOf(candidacy).run(leadOf(group, started), started.stop.signal);
    } catch (thrown) {
      failure = failureOf(thrown);
    }
    campaigns.delete(group);
    post({ kind: 'over', group, failure });
  };

  return {
    receive(message) {
      if (message.kind === 'campaign') void campaign(message.candidacy);
      else if (message.kind === 'resign') campaigns.get(message.group)?.stop.abort();
      else campaigns.get(message.group)?.settle?.(message.failure);
    },
  };
}

export function failureOf(thrown: unknown): RemoteFailure {
  return {
    code: errorCode(thrown) ?? 'controller-runnable-failed',
    message: describeThrown(thrown),
    isStillRunning: thrown instanceof StillRunningError,
  };
}

export function errorOf({ code, message, isStillRunning }: RemoteFailure): ControllerError {
  return isStillRunning ? new StillRunningError(code, message) : new ControllerError(code, message);
}
