import { type Clock, type Logger, silentLogger, systemClock } from '../base/index.ts';
import { ControllerError } from './errors.ts';
import { type Runnable, runStages, type StagesContext, unreadyReason } from './stages.ts';

/** Decides when this replica leads a group of runnables. */
export interface Leadership {
  readonly group: string;
  /** A candidate only while this replica leads the other group: for work that shares memory with that group. */
  readonly within?: string | undefined;
  /**
   * Calls `lead` each time leadership is won. Its signal aborts when leadership is lost or `signal` aborts, and
   * leadership is released only after `lead` has settled. Resolves after `signal` aborted.
   */
  run(lead: Lead, signal: AbortSignal): Promise<void>;
}

/** Settles when all work of the leader session has stopped, or rejects with StillRunningError when some has not. */
export type Lead = (signal: AbortSignal) => Promise<void>;

export interface ManagerOptions {
  readonly runnables: readonly Runnable[];
  readonly leadership?: readonly Leadership[];
  /** How long the shutdown may take before `run` stops waiting for runnables; 30 s by default. */
  readonly shutdownMs?: number;
  /** How often the readiness of a stage is checked. */
  readonly pollMs?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
}

export interface Readiness {
  readonly ready: boolean;
  /** One line for each runnable that is not ready, starting with its name. */
  readonly reasons: readonly string[];
}

export interface Manager {
  /**
   * Runs everything until the signal aborts, then stops everything in reverse order. Rejects when a runnable failed,
   * ended by itself or did not stop in time; all others have been stopped by then. Once per manager.
   */
  run(signal: AbortSignal): Promise<void>;
  /** Whether this replica can serve. Runnables bound to leadership are ignored: a standby is ready. */
  isReady(): Readiness;
}

export function createManager(options: ManagerOptions): Manager {
  const { runnables, leadership = [] } = options;
  const context: StagesContext = {
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLogger,
    shutdownMs: options.shutdownMs ?? 30_000,
    pollMs: options.pollMs ?? 20,
    running: new Set(),
    ended: new Set(),
  };
  checkNames(runnables, leadership);
  const everywhere = runnables.filter(({ needsLeadership }) => needsLeadership === undefined);
  const nested: Runnable[] = [];
  const groups = leadership.flatMap((one): Runnable[] => {
    const made = leadershipRunnable(one, runnables, nested, context);
    if (one.within === undefined) return [made];
    nested.push(made);
    return [];
  });
  let phase: 'new' | 'running' | 'stopping' = 'new';

  return {
    async run(signal) {
      if (phase !== 'new') throw new ControllerError('controller-manager-used', 'a manager runs only once');
      phase = 'running';
      const onStop = () => {
        phase = 'stopping';
      };
      await runStages([...everywhere, ...groups], { ...context, onStop }, signal);
    },
    isReady() {
      if (phase === 'new') return { ready: false, reasons: ['manager: has not started'] };
      if (phase === 'stopping') return { ready: false, reasons: ['manager: is shutting down'] };
      const reasons = everywhere.flatMap((runnable) => unreadyReason(runnable, context) ?? []);
      return { ready: reasons.length === 0, reasons };
    },
  };
}

/** The leadership of a program that runs alone: it leads from start to stop. */
export function createSoleLeadership(group: string): Leadership {
  return { group, run: (lead, signal) => lead(signal) };
}

function leadershipRunnable(
  leadership: Leadership,
  runnables: readonly Runnable[],
  nested: readonly Runnable[],
  context: StagesContext,
): Runnable {
  const isBound = ({ needsLeadership }: Runnable) => needsLeadership === leadership.group;
  const bound = () => [...runnables, ...nested].filter(isBound);
  return {
    name: `leadership of ${leadership.group}`,
    ...(leadership.within === undefined ? {} : { needsLeadership: leadership.within }),
    // Last to start, because a replica with empty caches must not win. So it is also the first to stop.
    order: Number.POSITIVE_INFINITY,
    run: (signal) => leadership.run((sessionSignal) => runStages(bound(), context, sessionSignal), signal),
  };
}

function checkNames(runnables: readonly Runnable[], leadership: readonly Leadership[]): void {
  const names = new Set<string>();
  for (const { name } of runnables) {
    if (names.has(name)) throw new ControllerError('controller-duplicate-name', `two runnables are named "${name}"`);
    names.add(name);
  }
  const groups = new Set<string>();
  for (const { group } of leadership) {
    if (groups.has(group)) {
      throw new ControllerError('controller-duplicate-name', `two leaderships are for the group "${group}"`);
    }
    groups.add(group);
  }
  for (const { group, within } of leadership) {
    if (within === undefined || (within !== group && groups.has(within))) continue;
    const message = `the leadership of "${group}" is within "${within}", which the manager does not have`;
    throw new ControllerError('controller-unknown-leadership', message);
  }
  for (const { name, needsLeadership } of runnables) {
    if (needsLeadership === undefined || groups.has(needsLeadership)) continue;
    const message = `runnable "${name}" needs the leadership group "${needsLeadership}", which the manager does not have`;
    throw new ControllerError('controller-unknown-leadership', message);
  }
}
