import { openSync, readSync } from 'node:fs';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopFigures {
  /** How late the loop was, on the wall: what other processes took is in it. */
  readonly delayP99Ms: number;
  /** How long it was held between two timers, in CPU time of its own thread: what others took is not in it. */
  readonly turnP99Ms: number;
  readonly turnMaxMs: number;
}

/** Watches the event loop of this process. */
export function watchLoop(): { reset(): void; read(): LoopFigures } {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const turns = createHistogram();
  const cpuNs = mainThreadCpu();
  let before = cpuNs();
  setInterval(() => {
    const now = cpuNs();
    turns.record(Math.max(1, Math.round((now - before) / 1000)));
    before = now;
  }, 1).unref();
  return {
    reset() {
      delays.reset();
      turns.reset();
    },
    read: () => ({
      delayP99Ms: delays.percentile(99) / 1e6,
      turnP99Ms: turns.percentile(99) / 1e3,
      turnMaxMs: turns.max / 1e3,
    }),
  };
}

/** Linux counts it to the nanosecond, as the first number of this file. */
function mainThreadCpu(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(64);
  return () => {
    // Only to have the kernel bring its count up to date: by itself it does so every few milliseconds.
    process.cpuUsage();
    return Number(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ', 1)[0]);
  };
}
