import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type Candidacy,
  type ControllerMetrics,
  createLeaderElection,
  createSoleLeadership,
  type LeaderElection,
  type LeaderElectionOptions,
  type Leadership,
  type Runnable,
} from '../controller/index.ts';
import type { Environment } from '../kube/index.ts';
import { parseDurationMs } from '../object/index.ts';
import type { Config } from './config.ts';

interface LeadershipsOptions {
  readonly settings: Config['leaderElection'];
  readonly elect: Elect;
  readonly namespace: string;
  readonly installation: string;
  readonly env: Environment;
  readonly metrics: Pick<ControllerMetrics, 'forLeadership'>;
}

type ElectionHooks = Pick<LeaderElectionOptions, 'within' | 'onNewLeader' | 'onLeadingChanged'>;

/** Where an election runs: in this event loop, or in a separate thread. */
export type Elect = (candidacy: Candidacy, hooks: ElectionHooks) => LeaderElection;

interface Leaderships {
  readonly all: readonly Leadership[];
  /** One line per group with its leader. */
  readonly describe: () => readonly string[];
}

/**
 * Generation passes its findings to the controller of policy status in memory, so where both run, one replica leads
 * both.
 */
const nesting: Readonly<Record<string, string>> = { generate: 'admission' };

/**
 * One Lease per group of controllers, so that processes of one installation with different features do not wait for
 * each other.
 */
export function createLeaderships(runnables: readonly Runnable[], options: LeadershipsOptions): Leaderships {
  const { settings, elect, namespace, installation, metrics } = options;
  const groups = [...new Set(runnables.flatMap(({ needsLeadership }) => needsLeadership ?? []))];
  if (!settings.enabled)
    return {
      all: groups.map(createSoleLeadership),
      describe: () => groups.map((group) => `${group}: led by this process (leader election is off)`),
    };
  const own = identityOf(options.env);
  const holders = new Map<string, string>();
  const all = groups.map((group) => {
    const outer = nesting[group];
    const candidacy: Candidacy = {
      ...own,
      group,
      lease: { namespace, name: `${installation}-${group}` },
      leaseDurationMs: parseDurationMs(settings.leaseDuration),
      renewDeadlineMs: parseDurationMs(settings.renewDeadline),
      retryPeriodMs: parseDurationMs(settings.retryPeriod),
    };
    return elect(candidacy, {
      within: outer !== undefined && groups.includes(outer) ? outer : undefined,
      onNewLeader: (holder) => void holders.set(group, holder),
      onLeadingChanged: metrics.forLeadership(group),
    });
  });
  return {
    all,
    describe: () =>
      all.map((election) => {
        const holder = holders.get(election.group);
        if (election.isLeading()) return `${election.group}: led by this replica (${own.identity})`;
        return `${election.group}: ${holder === undefined || holder === own.identity ? 'no leader known' : `led by ${holder}`}`;
      }),
  };
}

/** Elections in this event loop. */
export const electHere =
  (options: Pick<LeaderElectionOptions, 'client' | 'log'>): Elect =>
  ({ predecessors, ...candidacy }, hooks) =>
    createLeaderElection({
      ...options,
      ...candidacy,
      ...hooks,
      isPredecessor: predecessors === undefined ? undefined : (holder) => holder.startsWith(predecessors),
    });

/**
 * Every process is a separate candidate. With the UID of its pod it also knows that earlier processes of the pod have
 * ended: the kubelet restarts a container only then. A host name alone proves nothing.
 */
export function identityOf({ POD_NAME, POD_UID }: Environment): Pick<Candidacy, 'identity' | 'predecessors'> {
  const suffix = randomUUID().slice(0, 8);
  if (!POD_UID) return { identity: `${POD_NAME || hostname()}_${suffix}` };
  const pod = `${POD_NAME || hostname()}_${POD_UID}_`;
  return { identity: `${pod}${suffix}`, predecessors: pod };
}
