import { onAbort } from '../base/index.ts';
import { isAbortOf } from './abort.ts';
import { ControllerError, StillRunningError } from './errors.ts';
import { errorOf, failureOf } from './leadership-host.ts';
import type { Candidacy, FromLeadershipHost, ToLeadershipHost } from './leadership-messages.ts';
import type { Lead, Leadership } from './manager.ts';

interface RemoteLeadership extends Leadership {
  /** As last reported by the host. The lease may already be lost while this thread is stalled. */
  isLeading(): boolean;
}

interface RemoteLeadershipOptions {
  readonly within?: string | undefined;
  readonly onNewLeader?: (identity: string) => void;
  readonly onLeadingChanged?: (isLeading: boolean) => void;
}

interface RemoteLeaderships {
  leadershipOf(candidacy: Candidacy, options?: RemoteLeadershipOptions): RemoteLeadership;
  receive(message: FromLeadershipHost): void;
  /** The host has ended, and every lease with it: all work stops, and every election fails with this error. */
  lost(failure: Error): void;
}

interface Running {
  lead(): void;
  cease(reason: unknown): void;
  over(failure: Error | undefined): void;
}

/** Leaderships whose elections run in another thread (`createLeadershipHost`). The work runs here. */
export function createRemoteLeaderships(post: (message: ToLeadershipHost) => void): RemoteLeaderships {
  const known = new Map<string, RemoteLeadershipOptions>();
  const leading = new Map<string, boolean>();
  const running = new Map<string, Running>();
  let isLost: Error | undefined;

  const run = (candidacy: Candidacy, lead: Lead, signal: AbortSignal): Promise<void> => {
    if (isLost) return Promise.reject(isLost);
    const { group } = candidacy;
    let leaderSession: AbortController | undefined;
    let working: Promise<void> = Promise.resolve();
    let ownFailure: unknown;
    const work = async (until: AbortSignal): Promise<void> => {
      try {
        await lead(until);
        post({ kind: 'settled', group });
      } catch (thrown) {
        if (isAbortOf(until, thrown)) return post({ kind: 'settled', group });
        ownFailure = thrown;
        post({ kind: 'settled', group, failure: failureOf(thrown) });
      }
    };
    const resign = () => post({ kind: 'resign', group });
    let unlink = () => {};
    return new Promise<void>((resolve, reject) => {
      running.set(group, {
        lead() {
          leaderSession = new AbortController();
          working = work(leaderSession.signal);
        },
        cease: (reason) => leaderSession?.abort(reason ?? signal.reason),
        over(failure) {
          running.delete(group);
          unlink();
          const end = () => (failure ? reject(ownFailure ?? failure) : resolve());
          if (failure instanceof StillRunningError) end();
          else void working.then(end);
        },
      });
      post({ kind: 'campaign', candidacy });
      unlink = onAbort(signal, resign);
    });
  };

  return {
    leadershipOf(candidacy, options = {}) {
      const { group } = candidacy;
      known.set(group, options);
      return {
        group,
        within: options.within,
        isLeading: () => leading.get(group) ?? false,
        run: (lead, signal) => run(candidacy, lead, signal),
      };
    },
    receive(message) {
      const { group } = message;
      const current = running.get(group);
      if (message.kind === 'lead') current?.lead();
      else if (message.kind === 'cease') current?.cease(message.isLost ? leaseLost() : undefined);
      else if (message.kind === 'over') current?.over(message.failure && errorOf(message.failure));
      else if (message.kind === 'holder') known.get(group)?.onNewLeader?.(message.holder);
      else {
        leading.set(group, message.isLeading);
        known.get(group)?.onLeadingChanged?.(message.isLeading);
      }
    },
    lost(failure) {
      isLost = failure;
      for (const [group, current] of [...running]) {
        leading.set(group, false);
        current.cease(leaseLost());
        current.over(failure);
      }
    },
  };
}

const leaseLost = () => new ControllerError('controller-lease-lost', 'the lease was lost');
