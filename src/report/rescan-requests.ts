import { waitFor } from './loop.ts';

/** By policy: everywhere, or in these namespaces. */
export type Rescans = ReadonlyMap<string, 'all' | ReadonlySet<string>>;

/** Which policies are to be run again; requests that wait are put together. */
export class RescanRequests {
  private waiting = new Map<string, 'all' | Set<string>>();
  private running: Rescans = new Map();
  private wake: () => void = () => {};

  add(policy: string, namespaces: 'all' | Iterable<string>): void {
    const before = this.waiting.get(policy);
    if (before !== 'all')
      this.waiting.set(policy, namespaces === 'all' ? 'all' : new Set([...(before ?? []), ...namespaces]));
    this.wake();
  }

  addAll(rescans: Rescans): void {
    for (const [policy, namespaces] of rescans) this.add(policy, namespaces);
  }

  /** Whether the policy's results, or any at all, are about to change: the request waits or is being worked off. */
  concerns(policy: string | undefined): boolean {
    if (policy === undefined) return this.waiting.size > 0 || this.running.size > 0;
    return this.waiting.has(policy) || this.running.has(policy);
  }

  /** Waits for requests and takes all there are; what was taken before counts as done. Undefined when stopped. */
  async take(signal: AbortSignal): Promise<Rescans | undefined> {
    this.running = new Map();
    while (this.waiting.size === 0 && !signal.aborted) {
      await waitFor(signal, (wake) => {
        this.wake = wake;
      });
    }
    if (signal.aborted) return undefined;
    this.running = this.waiting;
    this.waiting = new Map();
    return this.running;
  }
}
