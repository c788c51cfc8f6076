import { type Logger, whenAborted } from '../../base/index.ts';
import { createLeaderElection, type LeaderElection, type LeaderElectionOptions } from '../leader-election.ts';
import type { LeaseServer, Link } from './lease-server.ts';
import type { MachineClock } from './machine-clock.ts';

/** A process that wants to lead: its machine, its link to the server, and whether its work is active. */
export interface Candidate {
  readonly identity: string;
  readonly clock: MachineClock;
  readonly link: Link;
  readonly election: LeaderElection;
  /** From the start of the work of a leader session until that work has stopped. */
  readonly isWorking: boolean;
  readonly done: Promise<void>;
  stop(): void;
  /** The process has crashed: none of its code runs again. */
  kill(): void;
  readonly isAlive: boolean;
}

export interface CandidateOptions {
  readonly identity: string;
  readonly server: LeaseServer;
  readonly clock: MachineClock;
  readonly stopMs?: number;
  readonly log?: Logger;
  readonly random?: () => number;
  readonly election?: Partial<LeaderElectionOptions>;
  readonly onStart?: (candidate: Candidate) => void;
}

export function startCandidate(options: CandidateOptions): Candidate {
  const { identity, clock, server, stopMs = 0 } = options;
  const stop = new AbortController();
  let isWorking = false;
  let isAlive = true;
  const link = server.connect(identity, () => clock.thawed());
  const election = createLeaderElection({
    client: link.client,
    lease: { namespace: 'supercargo', name: 'reports' },
    identity,
    clock,
    random: options.random ?? (() => 0.5),
    ...(options.log && { log: options.log }),
    ...options.election,
  });
  const lead = async (signal: AbortSignal) => {
    isWorking = true;
    options.onStart?.(candidate);
    await whenAborted(signal);
    if (stopMs > 0) await clock.sleep(stopMs);
    isWorking = false;
  };
  const candidate: Candidate = {
    identity,
    clock,
    link,
    election,
    get isWorking() {
      return isWorking;
    },
    get isAlive() {
      return isAlive;
    },
    get done() {
      return done;
    },
    stop: () => stop.abort(),
    kill: () => {
      isAlive = false;
      clock.freeze();
    },
  };
  const done = election.run(lead, stop.signal);
  return candidate;
}
