import { type Clock, errorCode } from '../base/index.ts';
import type { CallOptions, KubeClient } from '../kube/index.ts';
import { within } from './abort.ts';
import { ControllerError } from './errors.ts';
import { claimed, isHeldByOther, type Lease, leaseType, type Observation, observe, released } from './lease.ts';

export interface LeaseLockOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  /** How long one call may take. Each call by itself: a slow server must not make every try of several calls vain. */
  readonly callMs: number;
  readonly clock: Clock;
  readonly onHolder: (identity: string) => void;
}

/**
 * One candidate's view of one Lease object. Every write is preconditioned by the resourceVersion last read, so of
 * several that try at once one succeeds. Calls must not overlap, and one whose signal has aborted changes nothing here.
 */
export class LeaseLock {
  private lease: Lease | undefined;
  private observed: Observation | undefined;
  private lastTimeMs = 0;
  /** True from the moment a claim is sent until the record is known not to be ours. */
  private mayHold = false;

  constructor(private readonly options: LeaseLockOptions) {}

  /**
   * Takes or renews the lease. Answers the monotonic time at which the successful write was sent (nobody can have
   * begun to wait for its expiry before that), or undefined when somebody else holds the lease.
   */
  async claim(isLeading: boolean, signal: AbortSignal): Promise<number | undefined> {
    const { identity, clock } = this.options;
    if (isLeading && this.lease) {
      // The leader need not read first: nobody else should have written.
      try {
        return await this.write(this.lease, signal);
      } catch (thrown) {
        if (!isStale(thrown)) throw thrown;
      }
    }
    await this.read(signal);
    if (isHeldByOther(this.observed, identity, clock.monotonicMs())) {
      this.mayHold = false;
      return undefined;
    }
    return this.write(this.lease, signal);
  }

  /** How long the holder seen last may still go on; 0 when nothing is known of another holder. */
  heldByOtherMs(): number {
    const { identity, clock } = this.options;
    const nowMs = clock.monotonicMs();
    if (!this.observed || !isHeldByOther(this.observed, identity, nowMs)) return 0;
    return this.observed.sinceMs + this.observed.durationMs - nowMs;
  }

  /** Gives the lease back if it is ours; false when it was not. */
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
        // A renewal that was given up may still have arrived in between.
        if (!isStale(thrown) || attempt >= 2) throw thrown;
      }
    }
    this.mayHold = false;
    return false;
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { client, namespace, name } = this.options;
    try {
      await this.call(signal, (options) => client.get<Lease>(leaseType, { namespace, name }, options));
    } catch (thrown) {
      if (errorCode(thrown) !== 'kube-not-found') throw thrown;
      signal.throwIfAborted();
      this.lease = undefined;
    }
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

  /** Makes one call and takes its answer as the record that is now known. */
  private async call(signal: AbortSignal, send: (options: CallOptions) => Promise<Lease>): Promise<void> {
    const { clock, callMs: ms } = this.options;
    const late = () => new ControllerError('controller-lease-timeout', `no answer about the lease within ${ms} ms`);
    const lease = await within({ clock, ms, signal, late }, (bounded) => send({ signal: bounded }));
    signal.throwIfAborted();
    this.see(lease);
  }

  private see(lease: Lease): void {
    const { clock, durationMs, onHolder } = this.options;
    const before = this.observed?.holder;
    this.lease = lease;
    this.observed = observe(this.observed, lease, { nowMs: clock.monotonicMs(), defaultDurationMs: durationMs });
    if (this.observed.holder !== before && this.observed.holder !== '') onHolder(this.observed.holder);
  }

  /** Wall time, yet never the same twice: a clock that stands still must not make renewals invisible. */
  private nextTimeMs(): number {
    this.lastTimeMs = Math.max(this.options.clock.now(), this.lastTimeMs + 1);
    return this.lastTimeMs;
  }
}

function isStale(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code === 'kube-conflict' || code === 'kube-not-found';
}
