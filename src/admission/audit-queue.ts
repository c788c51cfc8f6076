import { createTimeSlice, errorMessage, type Logger, systemClock } from '../base/index.ts';

/** Bounded queue of work that runs after responses are sent, one item at a time. Items that do not fit are dropped. */
export interface AuditQueue {
  /** False when the queue is full. `bytes` is the memory that the work refers to. */
  add(bytes: number, work: () => Promise<void> | void): boolean;
  readonly waiting: number;
  readonly dropped: number;
  /** Resolves when the queue is empty. */
  drained(): Promise<void>;
}

interface AuditQueueLimits {
  readonly maxWaiting: number;
  readonly maxBytes: number;
}

export function createAuditQueue(
  log: Logger,
  limits: AuditQueueLimits = { maxWaiting: 2_000, maxBytes: 64 << 20 },
): AuditQueue {
  const queue: { readonly bytes: number; readonly work: () => Promise<void> | void }[] = [];
  const turn = createTimeSlice(systemClock);
  let bytes = 0;
  let dropped = 0;
  let isRunning = false;
  let finished: (() => void)[] = [];

  const run = async () => {
    while (queue.length > 0) {
      // Yield, so that requests that arrived meanwhile are served first.
      await turn();
      const next = queue.shift()!;
      try {
        const working = next.work();
        if (working) await working;
      } catch (thrown) {
        log.error('audit work failed', { error: errorMessage(thrown) });
      }
      bytes -= next.bytes;
    }
    isRunning = false;
    for (const resolve of finished) resolve();
    finished = [];
  };

  return {
    add(size, work) {
      if (queue.length >= limits.maxWaiting || bytes + size > limits.maxBytes) {
        dropped++;
        return false;
      }
      bytes += size;
      queue.push({ bytes: size, work });
      if (!isRunning) {
        isRunning = true;
        setImmediate(() => void run());
      }
      return true;
    },
    get waiting() {
      return queue.length;
    },
    get dropped() {
      return dropped;
    },
    drained: () => (isRunning ? new Promise((resolve) => finished.push(resolve)) : Promise.resolve()),
  };
}
