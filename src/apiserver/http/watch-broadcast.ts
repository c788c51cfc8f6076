import type { Change, Collection } from '../store/index.ts';

/** One watcher's connection, as an audience sees it. */
export interface WatchSubscriber {
  write(events: Buffer): void;
}

/** An event by itself goes out at once; in a storm there is a rest after each write, which costs more than its bytes. */
const restMs = 10;

/**
 * Watchers that asked for the same and therefore hear the same. What happens between two writes is rendered, joined
 * and encoded once, and that one buffer is written to all of them.
 */
export class WatchBroadcast {
  private readonly seats = new Set<WatchSubscriber>();
  private pending: string[] = [];
  /** Between an event and the rest after the write of the last one. */
  private isBusy = false;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly collection: Collection,
    /** The line of an event, or undefined when the change is none of this audience's business. */
    private readonly render: (change: Change) => string | undefined,
    private readonly onEmpty: () => void = () => {},
  ) {}

  /** From now on: events that happened before, even unsent ones, are not heard. */
  join(seat: WatchSubscriber): void {
    this.flush();
    this.seats.add(seat);
    this.stopListening ??= this.collection.listen((change) => this.hear(change));
  }

  leave(seat: WatchSubscriber): void {
    if (!this.seats.delete(seat) || this.seats.size > 0) return;
    this.stopListening?.();
    this.stopListening = undefined;
    this.pending = [];
    this.onEmpty();
  }

  /** Hands out what has happened so far, so that something else can be written after it. */
  flush(): void {
    if (this.pending.length === 0) return;
    const events = Buffer.from(this.pending.length === 1 ? this.pending[0]! : this.pending.join(''));
    this.pending = [];
    for (const seat of this.seats) seat.write(events);
  }

  private hear(change: Change): void {
    const line = this.render(change);
    if (line === undefined) return;
    this.pending.push(line);
    if (this.isBusy) return;
    this.isBusy = true;
    setImmediate(() => this.send());
  }

  private send(): void {
    this.isBusy = this.pending.length > 0;
    if (!this.isBusy) return;
    this.flush();
    setTimeout(() => this.send(), restMs);
  }
}
