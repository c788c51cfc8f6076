import type { Clock } from '../../base/index.ts';

/** The clock of one machine: its rate is slightly off, its wall time is wrong, and the machine can freeze. */
export interface MachineClock extends Clock {
  readonly isFrozen: boolean;
  freeze(): void;
  /** Resumes; timers that came due in the meantime fire now. */
  thaw(): void;
  /** Resolves when the machine is not frozen: for input from outside. */
  thawed(): Promise<void>;
}

interface MachineClockOptions {
  /** Local milliseconds per true millisecond. */
  readonly rate: number;
  readonly wallOffsetMs: number;
}

export function createMachineClock(truth: Clock, { rate, wallOffsetMs }: MachineClockOptions): MachineClock {
  let isFrozen = false;
  let backlog: (() => void)[] = [];
  const after = (ms: number, fn: () => void) => {
    let isCancelled = false;
    const fire = () => {
      if (isCancelled) return;
      if (isFrozen) backlog.push(fire);
      else fn();
    };
    const cancel = truth.after(ms / rate, fire);
    return () => {
      isCancelled = true;
      cancel();
    };
  };
  return {
    now: () => truth.now() + wallOffsetMs,
    monotonicMs: () => truth.monotonicMs() * rate,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    get isFrozen() {
      return isFrozen;
    },
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
      const due = backlog;
      backlog = [];
      for (const fire of due) fire();
    },
    thawed: () => (isFrozen ? new Promise((resolve) => backlog.push(resolve)) : Promise.resolve()),
  };
}
