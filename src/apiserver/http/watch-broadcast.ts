import type { Change, Collection } from '../store/index.ts';
import type { TextEncoding } from './stream-text.ts';

/** One watcher's connection. */
export interface WatchSubscriber {
  write(events: Buffer): void;
}

/**
 * A single event is sent at once. Under load there is a pause after each write, because a write costs more than its
 * bytes.
 */
const restMs = 10;

/**
 * Watchers with identical requests, which get identical events. Events between two writes are rendered, joined and
 * encoded once, and the same buffer is written to all of them.
 */
export class WatchBroadcast {
  private readonly subscribers = new Set<WatchSubscriber>();
  private pending: string[] = [];
  /** Of all pending events. */
  private encoding: TextEncoding = 'latin1';
  /** True from an event until the pause after the last write. */
  private isBusy = false;
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly collection: Collection,
    /** The line of an event; undefined when the change does not match. */
    private readonly render: (change: Change) => string | undefined,
    private readonly onEmpty: () => void = () => {},
    /** How the line of an event can be encoded. */
    private readonly encodingOf: (change: Change) => TextEncoding = () => 'utf8',
  ) {}

  /** Earlier events, even unsent ones, are not sent to the new subscriber. */
  join(subscriber: WatchSubscriber): void {
    this.flush();
    this.subscribers.add(subscriber);
    this.stopListening ??= this.collection.listen((change) => this.onChange(change));
  }

  leave(subscriber: WatchSubscriber): void {
    if (!this.subscribers.delete(subscriber) || this.subscribers.size > 0) return;
    this.stopListening?.();
    this.stopListening = undefined;
    this.pending = [];
    this.encoding = 'latin1';
    this.onEmpty();
  }

  /** Sends the pending events, so that something else can be written after them. */
  flush(): void {
    if (this.pending.length === 0) return;
    const text = this.pending.length === 1 ? this.pending[0]! : this.pending.join('');
    const events = Buffer.from(text, this.encoding);
    this.pending = [];
    this.encoding = 'latin1';
    for (const subscriber of this.subscribers) subscriber.write(events);
  }

  private onChange(change: Change): void {
    const line = this.render(change);
    if (line === undefined) return;
    this.pending.push(line);
    if (this.encoding === 'latin1') this.encoding = this.encodingOf(change);
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
