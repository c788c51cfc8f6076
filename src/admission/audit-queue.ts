import { errorMessage, type Logger } from '../base/index.ts';

/** Bounded queue of work that runs after responses are sent, one item at a time. Items that do not fit are dropped. */
export interface AuditQueue {
  /** False when the queue is full. `bytes` is the memory that the work refers to. */
  add(bytes: number, work: () => Promise<void> | void): boolean;
  readonly waiting: number;
  readonly dropped: number;
  /** Resolves when the queue is empty. */
  drained(): Promise<void>;
}

export interface AuditQueueLimits {
  readonly maxWaiting: number;
  readonly maxBytes: number;
}

/** The longest time to run before yielding to the event loop. */
const sliceMs = 1;

export function createAuditQueue(
  log: Logger,
  limits: AuditQueueLimits = { maxWaiting: 2_000, maxBytes: 64 << 20 },
): AuditQueue {
  const queue: { readonly bytes: number; readonly work: () => Promise<void> | void }[] = [];
  let bytes = 0;
  let dropped = 0;
  let isRunning = false;
  let finished: (() => void)[] = [];

  const run = async () => {
    let sliceEndsMs = performance.now() + sliceMs;
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        const working = next.work();
        if (working) await working;
      } catch (thrown) {
        log.error('audit work failed', { error: errorMessage(thrown) });
      }
      bytes -= next.bytes;
      if (performance.now() < sliceEndsMs) continue;
      // Yield, so that requests that arrived meanwhile are served first.
      await new Promise((resolve) => setImmediate(resolve));
      sliceEndsMs = performance.now() + sliceMs;
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
