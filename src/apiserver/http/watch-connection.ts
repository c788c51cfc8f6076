import type { ServerResponse } from 'node:http';
import { streamText } from './stream-text.ts';
import type { WatchSubscriber } from './watch-broadcast.ts';

/** A client with this much buffered data is disconnected; it lists again, as after any lost connection. */
const maxBufferedBytes = 64 * 1024 * 1024;

/** The connection of one watcher: first the initial events with backpressure, then events as they occur. */
export class WatchConnection implements WatchSubscriber {
  /** Events that occurred while the initial events were being sent. */
  private waiting: Buffer[] | undefined = [];
  private waitingBytes = 0;
  private isOver = false;

  constructor(private readonly response: ServerResponse) {}

  /** Sends the initial events; events that are written meanwhile follow them. */
  async begin(lines: Iterable<string>): Promise<void> {
    try {
      await streamText(this.response, lines);
    } catch (thrown) {
      // Incomplete initial events must not look complete.
      this.response.destroy();
      throw thrown;
    }
    const { waiting = [] } = this;
    this.waiting = undefined;
    this.waitingBytes = 0;
    for (const events of waiting) this.write(events);
    if (this.isOver) this.response.end();
  }

  write(events: Buffer): void {
    const { response, waiting } = this;
    if (response.destroyed || response.writableEnded) return;
    if (waiting) {
      waiting.push(events);
      this.waitingBytes += events.length;
    } else response.write(events);
    if (response.writableLength + this.waitingBytes > maxBufferedBytes) response.destroy();
  }

  end(): void {
    this.isOver = true;
    if (!this.waiting) this.response.end();
  }
}
