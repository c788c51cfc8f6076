import type { Clock } from '../base/index.ts';
import type { CopyEvent } from '../registry/index.ts';

export interface CopiedBytes {
  /** Of what is known to be missing: a blob counts from the start of its transfer. */
  readonly bytesTotal: number;
  readonly bytesCopied: number;
}

interface CopyProgress {
  readonly onEvent: (event: CopyEvent) => void;
  /** Once the copy is complete: of every blob of the image, also of those that no transfer was needed for. */
  readonly whole: CopiedBytes;
  /** Resolves when no write is in progress. */
  settled(): Promise<void>;
}

/** Sums the progress of a copy and reports it at most once a second, one write at a time, to keep the cost low. */
export function createCopyProgress(
  clock: Clock,
  report: (bytes: CopiedBytes) => Promise<void>,
  everyMs = 1000,
): CopyProgress {
  const sizes = new Map<string, number>();
  const travelling = new Map<string, { readonly size: number; readonly done: number }>();
  let writing: Promise<void> | undefined;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  const sum = (): CopiedBytes => {
    let [bytesTotal, bytesCopied] = [0, 0];
    for (const { size, done } of travelling.values()) {
      bytesTotal += size;
      bytesCopied += done;
    }
    return { bytesTotal, bytesCopied };
  };
  const write = () => {
    if (writing || clock.monotonicMs() - reportedAtMs < everyMs) return;
    reportedAtMs = clock.monotonicMs();
    const end = () => {
      writing = undefined;
    };
    // A lost progress update does not affect the copy.
    writing = report(sum()).then(end, end);
  };
  return {
    onEvent(event) {
      // Layers that only others may distribute are not copied.
      if (event.kind === 'blob-skipped' && event.why === 'foreign') sizes.delete(event.digest);
      else if ('digest' in event && 'size' in event) sizes.set(event.digest, event.size);
      if (event.kind === 'blob-progress') travelling.set(event.digest, { size: event.size, done: event.doneBytes });
      else if (event.kind === 'blob-copied') travelling.set(event.digest, { size: event.size, done: event.size });
      else if (event.kind === 'blob-skipped') travelling.delete(event.digest);
      else return;
      if (travelling.size > 0) write();
    },
    get whole() {
      const bytes = [...sizes.values()].reduce((all, size) => all + size, 0);
      return { bytesTotal: bytes, bytesCopied: bytes };
    },
    async settled() {
      await writing;
    },
  };
}
