import { type Clock, type Logger, linkAbort, silentLogger, systemClock, whenAborted } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { isAbortOf, within } from './abort.ts';
import { ControllerError, StillRunningError } from './errors.ts';
import { LeaseLock } from './lease-lock.ts';
import type { Lead, Leadership } from './manager.ts';

export interface LeaderElectionOptions {
  readonly client: Pick<KubeClient, 'list' | 'create' | 'replace'>;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Unique for every process that ever ran. A host name alone is reused after a restart. */
  readonly identity: string;
  /**
   * True when the holder is an earlier process of this candidate that has certainly ended. Its lease is taken at once.
   */
  readonly isPredecessor?: ((holder: string) => boolean) | undefined;
  /** The group name that runnables refer to; the name of the lease by default. */
  readonly group?: string;
  readonly within?: string | undefined;
  /** How long other candidates wait after the last renewal they saw; 15 s by default. */
  readonly leaseDurationMs?: number;
  /** How long a leader continues after its last successful renewal; 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** The time between two attempts, plus up to a fifth at random; 2 s by default. */
  readonly retryPeriodMs?: number;
  /** While it returns false, the lease is neither taken nor renewed: the work of this candidate has stalled. */
  readonly mayRenew?: (() => boolean) | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  readonly onStartedLeading?: () => void;
  /** The leader session is over and its work has stopped. Called before the lease is released. */
  readonly onStoppedLeading?: () => void;
  /** A new holder was seen; it may be this candidate. */
  readonly onNewLeader?: (identity: string) => void;
  /** For a gauge: called when `isLeading` changes by a decision, not by time alone. */
  readonly onLeadingChanged?: (isLeading: boolean) => void;
}

export interface LeaderElection extends Leadership {
  /**
   * Whether this candidate leads now by its own monotonic clock. Becomes false by time alone, so it is correct even
   * after the process froze. A hint, not fencing: writes carry preconditions.
   */
  isLeading(): boolean;
}

/**
 * Leader election by a coordination.k8s.io/v1 Lease. After a lost leader session it stays a candidate.
 *
 * Two candidates never lead at once as long as clock rates differ by less than (lease − deadline) / (lease + deadline),
 * a fifth by default: a leader counts from when its renewal was sent, the others from when they saw it.
 */
export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new Election(options);
}

const jitter = 0.2;

class Election implements LeaderElection {
  readonly group: string;
  readonly within: string | undefined;
  private readonly leaseDurationMs: number;
  private readonly renewDeadlineMs: number;
  private readonly retryPeriodMs: number;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly log: Logger;
  private readonly lock: LeaseLock;
  private validUntilMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: LeaderElectionOptions) {
    const { lease, identity } = options;
    this.group = options.group ?? lease.name;
    this.within = options.within;
    this.leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.retryPeriodMs = options.retryPeriodMs ?? 2_000;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.log = (options.log ?? silentLogger).child({
      group: this.group,
      lease: `${lease.namespace}/${lease.name}`,
      identity,
    });
    this.checkTimes();
    this.lock = new LeaseLock({
      ...lease,
      client: options.client,
      identity,
      isPredecessor: options.isPredecessor,
      durationMs: this.leaseDurationMs,
      // One hanging call must leave time for another attempt before the deadline.
      callMs: this.renewDeadlineMs / 2,
      clock: this.clock,
      onHolder: (holder) => {
        this.log.info('New leader', { holder });
        options.onNewLeader?.(holder);
      },
    });
  }

  isLeading(): boolean {
    return this.clock.monotonicMs() < this.validUntilMs;
  }

  async run(lead: Lead, signal: AbortSignal): Promise<void> {
    try {
      while (await this.acquire(signal)) await this.leadSession(lead, signal);
    } catch (thrown) {
      if (!(thrown instanceof StillRunningError)) await this.release();
      throw thrown;
    }
    await this.release();
  }

  /** True when this candidate holds the lease, false when the signal aborted first. */
  private async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const isOurs = await this.tryClaim(signal);
      if (isOurs && this.isLeading() && !signal.aborted) return true;
      // An attempt exactly when the lease expires saves up to one retry period without a leader.
      await this.pause(Math.min(this.nextTryMs(), this.lock.heldByOtherMs() || Number.POSITIVE_INFINITY), signal);
    }
    return false;
  }

  private async leadSession(lead: Lead, signal: AbortSignal): Promise<void> {
    this.log.info('Started leading');
    this.options.onLeadingChanged?.(true);
    this.options.onStartedLeading?.();
    const work = new AbortController();
    const renewals = new AbortController();
    const stop = linkAbort(signal);
    const stopping = whenAborted(stop.signal);
    const working = settle(lead, work.signal);
    const lost = this.renewUntilLost(renewals.signal);
    const failed = working.then((outcome) => (outcome.failed ? undefined : stopping));

    const first = await Promise.race([lost, failed, stopping]);
    stop.unlink();
    work.abort(first === 'lost' ? new ControllerError('controller-lease-lost', 'the lease was lost') : signal.reason);
    // The lease is renewed while the work stops, so that no other candidate starts before the work has ended.
    const isLost = first === 'lost' || (await Promise.race([working, lost])) === 'lost';
    if (isLost) this.options.onLeadingChanged?.(false);
    const outcome = isLost ? await this.windDown(working) : await working;
    renewals.abort();
    await lost;
    this.validUntilMs = Number.NEGATIVE_INFINITY;
    if (!isLost) this.options.onLeadingChanged?.(false);
    this.log.info('Stopped leading', { isLost });
    this.options.onStoppedLeading?.();
    if (outcome.failed && !isAbortOf(work.signal, outcome.thrown)) throw outcome.thrown;
  }

  /** Resolves to `lost` when the leader session is over, to `stopped` when the signal aborted before. */
  private async renewUntilLost(signal: AbortSignal): Promise<'lost' | 'stopped'> {
    for (;;) {
      await this.pause(Math.min(this.nextTryMs(), this.leftMs()), signal);
      if (signal.aborted) return 'stopped';
      if (this.leftMs() <= 0) break;
      const isOurs = await this.renew(signal);
      if (signal.aborted) return 'stopped';
      if (isOurs === false || this.leftMs() <= 0) break;
    }
    this.validUntilMs = Number.NEGATIVE_INFINITY;
    this.log.warn('Lease lost');
    return 'lost';
  }

  private nextTryMs(): number {
    return this.retryPeriodMs * (1 + jitter * this.random());
  }

  private leftMs(): number {
    return this.validUntilMs - this.clock.monotonicMs();
  }

  private async renew(signal: AbortSignal): Promise<boolean | undefined> {
    const end = linkAbort(signal);
    const cancel = this.clock.after(this.leftMs(), () => end.abort());
    try {
      return await this.tryClaim(end.signal);
    } finally {
      cancel();
      end.unlink();
    }
  }

  /** False when another candidate holds the lease, undefined when the API server could not or must not be called. */
  private async tryClaim(signal: AbortSignal): Promise<boolean | undefined> {
    if (this.options.mayRenew?.() === false) {
      this.log.warn('Lease not taken or renewed: the work of this process has stalled');
      return undefined;
    }
    try {
      const sentMs = await this.lock.claim(this.isLeading(), signal);
      if (sentMs === undefined) return false;
      this.validUntilMs = sentMs + this.renewDeadlineMs;
      return true;
    } catch (thrown) {
      if (!signal.aborted) this.log.warn('Cannot take or renew the lease; retrying', { err: thrown });
      return undefined;
    }
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await this.clock.sleep(Math.max(0, ms), signal).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  }

  /** After a loss, other candidates start once the lease has expired. Work that lasts longer must end the process. */
  private async windDown(working: Promise<SettledWork>): Promise<SettledWork> {
    const ms = this.leaseDurationMs - this.renewDeadlineMs;
    const late = () =>
      new StillRunningError('controller-leadership-overrun', `work still runs ${ms} ms after "${this.group}" was lost`);
    return within({ clock: this.clock, ms, late }, () => working).catch((thrown) => ({ failed: true, thrown }));
  }

  private async release(): Promise<void> {
    this.validUntilMs = Number.NEGATIVE_INFINITY;
    const late = () => new ControllerError('controller-lease-timeout', 'the lease was not released in time');
    try {
      const isReleased = await within({ clock: this.clock, ms: this.renewDeadlineMs, late }, (call) =>
        this.lock.release(call),
      );
      if (isReleased) this.log.info('Lease released');
    } catch (thrown) {
      this.log.warn('Cannot release the lease; it will expire', { err: thrown });
    }
  }

  private checkTimes(): void {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this;
    if (leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs * (1 + jitter) && retryPeriodMs > 0)
      return;
    const given = `${leaseDurationMs}, ${renewDeadlineMs}, ${retryPeriodMs}`;
    const message = `lease duration > renew deadline > ${1 + jitter} × retry period > 0 must hold, not ${given} (ms)`;
    throw new ControllerError('controller-lease-times', message);
  }
}

type SettledWork = { readonly failed: false } | { readonly failed: true; readonly thrown: unknown };

async function settle(lead: Lead, signal: AbortSignal): Promise<SettledWork> {
  try {
    await lead(signal);
    return { failed: false };
  } catch (thrown) {
    return { failed: true, thrown };
  }
}
