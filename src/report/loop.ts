import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/index.ts';

/** How much of a turn of the event loop work takes that waits for nothing. */
export interface ScanPace {
  readonly sliceMs: number;
  /** Objects that are read at once, which nothing interrupts. */
  readonly pageSize: number;
}

/** Beside admission and leases: a page of that size holds the loop for a millisecond or two. */
export const sharedScanPace: ScanPace = { sliceMs: 1, pageSize: 20 };
/** Where a thread has nothing else to do than to hear that it shall stop. */
export const dedicatedScanPace: ScanPace = { sliceMs: 20, pageSize: 200 };

/** Shared by all that work through many objects: together they take one slice of a turn, however many they are. */
export class LoopShare {
  private sliceEndsMs = 0;
  private turned: Promise<void> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly sliceMs: number,
  ) {}

  /** To be awaited before each piece; costs next to nothing while the slice lasts. */
  async turn(): Promise<void> {
    while (this.clock.monotonicMs() >= this.sliceEndsMs) {
      this.turned ??= this.nextSlice();
      await this.turned;
    }
  }

  private async nextSlice(): Promise<void> {
    await nextTurn();
    this.turned = undefined;
    this.sliceEndsMs = this.clock.monotonicMs() + this.sliceMs;
  }
}

/** Calls `work` again and again; returns the way to stop. */
export function every(ms: number, clock: Clock, work: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(ms, () => {
      work();
      again();
    });
  };
  again();
  return () => cancel();
}

/** Resolves when what was registered is called, or the signal aborts. */
export function waitFor(signal: AbortSignal, register: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      signal.removeEventListener('abort', go);
      resolve();
    };
    if (signal.aborted) return go();
    signal.addEventListener('abort', go, { once: true });
    register(go);
  });
}
