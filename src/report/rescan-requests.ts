import { waitFor } from './loop.ts';

/** By policy: everywhere, or in these namespaces. */
export type Rescans = ReadonlyMap<string, 'all' | ReadonlySet<string>>;

/** What is to be run again: by policies on all their kinds, and on single kinds where an earlier pass did not get through. */
export interface RescanBatch {
  readonly everywhere: Rescans;
  readonly ofKind: ReadonlyMap<string, Rescans>;
}

type Mutable = Map<string, 'all' | ReadonlySet<string>>;

/** Adds to what is asked for already. */
export function mergeRescan(into: Mutable, policy: string, namespaces: 'all' | Iterable<string>): void {
  const before = into.get(policy);
  if (before === 'all') return;
  into.set(policy, namespaces === 'all' ? 'all' : new Set([...(before ?? []), ...namespaces]));
}

/** Which policies are to be run again; requests that wait are put together. */
export class RescanRequests {
  private waiting: Mutable = new Map();
  private waitingOfKind = new Map<string, Mutable>();
  private running: RescanBatch = { everywhere: new Map(), ofKind: new Map() };
  private wake: () => void = () => {};

  add(policy: string, namespaces: 'all' | Iterable<string>): void {
    mergeRescan(this.waiting, policy, namespaces);
    this.wake();
  }

  /** On the objects of one kind alone, named by `group/version/resource`. */
  addForKind(kind: string, rescans: Rescans): void {
    if (rescans.size === 0) return;
    const waiting = this.waitingOfKind.get(kind) ?? new Map();
    this.waitingOfKind.set(kind, waiting);
    for (const [policy, namespaces] of rescans) mergeRescan(waiting, policy, namespaces);
    this.wake();
  }

  /** Whether the policy's results, or any at all, are about to change: the request waits or is being worked off. */
  affects(policy: string | undefined): boolean {
    const { everywhere, ofKind } = this.running;
    return [this.waiting, everywhere, ...this.waitingOfKind.values(), ...ofKind.values()].some((rescans) =>
      policy === undefined ? rescans.size > 0 : rescans.has(policy),
    );
  }

  /** Waits for requests and takes all there are; what was taken before counts as done. Undefined when stopped. */
  async take(signal: AbortSignal): Promise<RescanBatch | undefined> {
    this.running = { everywhere: new Map(), ofKind: new Map() };
    while (this.waiting.size === 0 && this.waitingOfKind.size === 0 && !signal.aborted) {
      await waitFor(signal, (wake) => {
        this.wake = wake;
      });
    }
    if (signal.aborted) return undefined;
    this.running = { everywhere: this.waiting, ofKind: this.waitingOfKind };
    this.waiting = new Map();
    this.waitingOfKind = new Map();
    return this.running;
  }
}

/** What of a batch concerns the objects of one kind. */
export function rescansOf({ everywhere, ofKind }: RescanBatch, kind: string): Rescans {
  const own = ofKind.get(kind);
  if (!own) return everywhere;
  const merged: Mutable = new Map(everywhere);
  for (const [policy, namespaces] of own) mergeRescan(merged, policy, namespaces);
  return merged;
}
