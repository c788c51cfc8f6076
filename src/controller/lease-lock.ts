import { type Clock, errorCode } from '../base/index.ts';
import type { CallOptions, KubeClient } from '../kube/index.ts';
import { within } from './abort.ts';
import { ControllerError } from './errors.ts';
import {
  claimed,
  isHeldByOther,
  type Lease,
  leaseType,
  type Observation,
  observe,
  readLease,
  released,
} from './lease.ts';

interface LeaseLockOptions {
  readonly client: Pick<KubeClient, 'list' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** True when the holder is an earlier process of this candidate that has certainly ended. */
  readonly isPredecessor?: ((holder: string) => boolean) | undefined;
  readonly durationMs: number;
  /** Limit of one call. Per call, so that attempts of several calls succeed on a slow server. */
  readonly callMs: number;
  readonly clock: Clock;
  readonly onHolder: (identity: string) => void;
}

/** A leader writes without reading first. It refreshes its estimate of the server's time at this interval. */
const anchorMs = 30_000;
/** The server's `Date` has whole seconds. */
const dateStepMs = 1_000;

interface Anchor {
  /** By the local monotonic clock. */
  readonly atMs: number;
  /** The latest possible time of the API server's clock. */
  readonly latestMs: number;
}

/**
 * One candidate's view of one Lease object. Every write has the last read resourceVersion as precondition, so one of
 * several concurrent writers succeeds. Calls must not overlap, and a call whose signal has aborted changes nothing
 * here.
 */
export class LeaseLock {
  private lease: Lease | undefined;
  private observed: Observation | undefined;
  private anchor: Anchor | undefined;
  private lastTimeMs = 0;
  /** True from when a claim is sent until the record is known to belong to another candidate. */
  private mayHold = false;

  constructor(private readonly options: LeaseLockOptions) {}

  /**
   * Takes or renews the lease. Returns the monotonic time at which the successful write was sent (no candidate can have
   * started to wait for its expiry before that), or undefined when another candidate holds the lease.
   */
  async claim(isLeading: boolean, signal: AbortSignal): Promise<number | undefined> {
    const { clock } = this.options;
    const isAnchored = this.anchor !== undefined && clock.monotonicMs() - this.anchor.atMs < anchorMs;
    if (isLeading && this.lease && isAnchored) {
      // The leader need not read first: no other candidate should have written.
      try {
        return await this.write(this.lease, signal);
      } catch (thrown) {
        if (!isStale(thrown)) throw thrown;
      }
    }
    await this.read(signal);
    if (isHeldByOther(this.observed, this.isOwn, clock.monotonicMs())) {
      this.mayHold = false;
      return undefined;
    }
    return this.write(this.lease, signal);
  }

  /** How long the last seen holder may still act; 0 when no other holder is known. */
  heldByOtherMs(): number {
    const nowMs = this.options.clock.monotonicMs();
    if (!this.observed || !isHeldByOther(this.observed, this.isOwn, nowMs)) return 0;
    return this.observed.untilMs - nowMs;
  }

  private readonly isOwn = (holder: string): boolean =>
    holder === this.options.identity || (this.options.isPredecessor?.(holder) ?? false);

  /** Releases the lease if this candidate holds it; false when it does not. */
  async release(signal: AbortSignal): Promise<boolean> {
    for (let attempt = 0; this.mayHold; attempt++) {
      await this.read(signal);
      if (!this.lease || this.observed?.holder !== this.options.identity) break;
      try {
        const lease = released(this.lease, this.nextTimeMs());
        await this.call(signal, (options) => this.options.client.replace(leaseType, lease, options));
        this.mayHold = false;
        return true;
      } catch (thrown) {
        // An abandoned renewal may still have arrived in between.
        if (!isStale(thrown) || attempt >= 2) throw thrown;
      }
    }
    this.mayHold = false;
    return false;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.options;
    const sentMs = clock.monotonicMs();
    const { lease, serverTimeMs } = await this.bounded(signal, (bounded) => readLease(client, this.options, bounded));
    // The `Date` of the response is after the request was sent, within one second.
    if (serverTimeMs !== undefined) this.anchor = { atMs: sentMs, latestMs: serverTimeMs + dateStepMs };
    if (lease) this.see(lease, serverTimeMs);
    else this.lease = undefined;
  }

  private async write(lease: Lease | undefined, signal: AbortSignal): Promise<number> {
    const { client, clock } = this.options;
    const next = claimed(lease, { ...this.options, timeMs: this.nextTimeMs() });
    const sentMs = clock.monotonicMs();
    this.mayHold = true;
    await this.call(signal, (options) =>
      lease ? client.replace(leaseType, next, options) : client.create(leaseType, next, options),
    );
    return sentMs;
  }

  /** Makes one call and stores the response as the known record. */
  private async call(signal: AbortSignal, send: (options: CallOptions) => Promise<Lease>): Promise<void> {
    this.see(await this.bounded(signal, (bounded) => send({ signal: bounded })));
  }

  private async bounded<T>(signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, callMs: ms } = this.options;
    const late = () => new ControllerError('controller-lease-timeout', `no response about the lease within ${ms} ms`);
    const answer = await within({ clock, ms, signal, late }, send);
    signal.throwIfAborted();
    return answer;
  }

  private see(lease: Lease, serverTimeMs?: number): void {
    const { clock, durationMs, onHolder } = this.options;
    const before = this.observed?.holder;
    this.lease = lease;
    this.observed = observe(this.observed, lease, {
      nowMs: clock.monotonicMs(),
      serverTimeMs,
      defaultDurationMs: durationMs,
    });
    if (this.observed.holder !== before && this.observed.holder !== '') onHolder(this.observed.holder);
  }

  /**
   * The API server's time, late rather than early, because other candidates count from it. The local clock only where
   * the server sends no time. Never the same twice: a clock that does not advance must not hide renewals.
   */
  private nextTimeMs(): number {
    const { clock } = this.options;
    const nowMs = this.anchor ? this.anchor.latestMs + clock.monotonicMs() - this.anchor.atMs : clock.now();
    this.lastTimeMs = Math.max(Math.round(nowMs), this.lastTimeMs + 1);
    return this.lastTimeMs;
  }
}

function isStale(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code === 'kube-conflict' || code === 'kube-not-found';
}
