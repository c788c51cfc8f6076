import { waitFor } from './loop.ts';

/** By policy: all namespaces, or these. */
export type Rescans = ReadonlyMap<string, 'all' | ReadonlySet<string>>;

/** Requested rescans: policies on all their kinds, and on single kinds where an earlier pass failed. */
interface RescanBatch {
  readonly everywhere: Rescans;
  readonly ofKind: ReadonlyMap<string, Rescans>;
}

type Mutable = Map<string, 'all' | ReadonlySet<string>>;

/** Adds to the requests that exist already. */
export function mergeRescan(into: Mutable, policy: string, namespaces: 'all' | Iterable<string>): void {
  const before = into.get(policy);
  if (before === 'all') return;
  into.set(policy, namespaces === 'all' ? 'all' : new Set([...(before ?? []), ...namespaces]));
}

/** Requested rescans of policies; waiting requests are merged. */
export class RescanRequests {
  private waiting: Mutable = new Map();
  private waitingOfKind = new Map<string, Mutable>();
  private running: RescanBatch = { everywhere: new Map(), ofKind: new Map() };
  private wake: () => void = () => {};
  /** Kinds whose last rescan failed and will be repeated: some of their results are old. */
  readonly failedKinds = new Set<string>();

  add(policy: string, namespaces: 'all' | Iterable<string>): void {
    mergeRescan(this.waiting, policy, namespaces);
    this.wake();
  }

  /** For the objects of one kind only, named by `group/version/resource`. */
  addForKind(kind: string, rescans: Rescans): void {
    if (rescans.size === 0) return;
    const waiting = this.waitingOfKind.get(kind) ?? new Map();
    this.waitingOfKind.set(kind, waiting);
    for (const [policy, namespaces] of rescans) mergeRescan(waiting, policy, namespaces);
    this.wake();
  }

  /** Whether results of the policy (of any policy if undefined) are about to change: a request waits or is running. */
  affects(policy: string | undefined): boolean {
    const { everywhere, ofKind } = this.running;
    return [this.waiting, everywhere, ...this.waitingOfKind.values(), ...ofKind.values()].some((rescans) =>
      policy === undefined ? rescans.size > 0 : rescans.has(policy),
    );
  }

  /** Waits for requests and takes all. The batch taken before counts as done. Undefined when stopped. */
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

/** The part of a batch for the objects of one kind. */
export function rescansOf({ everywhere, ofKind }: RescanBatch, kind: string): Rescans {
  const own = ofKind.get(kind);
  if (!own) return everywhere;
  const merged: Mutable = new Map(everywhere);
  for (const [policy, namespaces] of own) mergeRescan(merged, policy, namespaces);
  return merged;
}
