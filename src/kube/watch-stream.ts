import type { Clock } from '../base/index.ts';

/** Thrown by `lines` when a line exceeds the limit. */
export class LineTooLong extends Error {}

/**
 * Splits a byte stream at newlines and yields each whole line as text. It splits bytes, so a character cut by a chunk
 * boundary is joined before it is decoded. A last line without its newline is dropped: the connection was cut inside
 * it, and the sender will repeat it.
 */
export async function* lines(chunks: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      if (pendingBytes === 0) {
        if (end > start) yield chunk.toString('utf8', start, end);
      } else {
        pending.push(chunk.subarray(start, end));
        yield Buffer.concat(pending).toString('utf8');
        pending = [];
        pendingBytes = 0;
      }
      start = end + 1;
    }
    if (start < chunk.length) {
      pending.push(start === 0 ? chunk : chunk.subarray(start));
      pendingBytes += chunk.length - start;
      if (pendingBytes > maxLineBytes) throw new LineTooLong(`a line is longer than ${maxLineBytes} bytes`);
    }
  }
}

interface StallGuard {
  /** The same chunks; the guard's clock runs only while the reader waits for one, never while it works. */
  guard(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>;
  readonly hasStalled: boolean;
}

/**
 * Calls `onStall` once when nothing arrived for `stallMs`. One timer, re-armed when it fires, so that chunks cost
 * nothing.
 */
export function createStallGuard(stallMs: number, clock: Clock, onStall: () => void): StallGuard {
  let hasStalled = false;
  return {
    async *guard(chunks) {
      let waitingSince: number | undefined;
      let cancel = () => {};
      const arm = (ms: number) => {
        cancel = clock.after(ms, () => {
          const waited = waitingSince === undefined ? 0 : clock.monotonicMs() - waitingSince;
          // A timer may fire a fraction of a millisecond early.
          if (waited < stallMs - 1) return arm(stallMs - waited);
          hasStalled = true;
          onStall();
        });
      };
      arm(stallMs);
      try {
        waitingSince = clock.monotonicMs();
        for await (const chunk of chunks) {
          waitingSince = undefined;
          yield chunk;
          waitingSince = clock.monotonicMs();
        }
      } finally {
        cancel();
      }
    },
    get hasStalled() {
      return hasStalled;
    },
  };
}
