import type { CutOff } from './trigger.ts';

/** Up to where the history of one kind is processed; survives a restart. */
export interface WatchPosition {
  readonly resourceVersion: string;
  /** The newest time stamp among the writes up to there, by the server's clock. */
  readonly timeMs: number;
  /** Objects written in that second. */
  readonly handled: readonly string[];
}

interface ObservedWrite {
  /** Absent for an item of a list: list order is not time order. */
  readonly resourceVersion?: string | undefined;
  readonly timeMs: number;
  readonly uid: string;
}

interface WatchState {
  readonly resourceVersion: string | undefined;
  readonly listedAtServerMs: number | undefined;
}

interface Entry extends ObservedWrite {
  pending: number;
}

// More writes in one second are not all remembered; the rest may run twice after a crash.
const maxHandled = 512;
const compactAfter = 1024;

/**
 * Tracks the work caused by the events of one kind and says up to where all of it is done. Failed work is kept
 * elsewhere and counts as done here, so that it blocks nothing.
 */
export class PositionTracker {
  private entries: Entry[] = [];
  private first = 0;
  private resourceVersion: string | undefined;
  private readonly done: LastSecond;
  /** Everything observed, processed or not. */
  private readonly seen: LastSecond;
  private seenVersion: string | undefined;
  /** Writes seen in a list; they count when the whole list is processed. */
  private listed = new LastSecond(0, []);

  constructor(position?: WatchPosition) {
    this.resourceVersion = position?.resourceVersion;
    this.done = new LastSecond(position?.timeMs ?? 0, position?.handled ?? []);
    this.seen = new LastSecond(position?.timeMs ?? 0, position?.handled ?? []);
    this.seenVersion = position?.resourceVersion;
  }

  /** Records an event with `work` pieces of work. Call the returned function as each one ends. */
  note(noted: ObservedWrite, work: number): () => void {
    const entry: Entry = { ...noted, pending: work };
    this.seen.raise(noted.timeMs, noted.uid);
    this.seenVersion = noted.resourceVersion ?? this.seenVersion;
    if (work === 0 && this.isIdle) this.pass(entry);
    else this.entries.push(entry);
    return () => {
      entry.pending--;
      this.advance();
    };
  }

  get isIdle(): boolean {
    return this.entries.length === this.first;
  }

  /** Undefined until the first list is complete. */
  position({ resourceVersion, listedAtServerMs = 0 }: WatchState): WatchPosition | undefined {
    this.advance();
    if (this.isIdle && resourceVersion !== undefined) {
      this.resourceVersion = resourceVersion;
      for (const uid of this.listed.handled) this.done.raise(this.listed.timeMs, uid);
      this.listed = new LastSecond(0, []);
      // Everything listed was written before the response. If nothing was listed, the time of the response is all that
      // is known.
      if (this.done.timeMs === 0) this.done.raise(listedAtServerMs, '');
    }
    if (this.resourceVersion === undefined) return undefined;
    return { resourceVersion: this.resourceVersion, timeMs: this.done.timeMs, handled: [...this.done.handled] };
  }

  /** Up to where the kind was observed, whether or not the work is done. */
  observed(follower: WatchState): WatchPosition {
    const resourceVersion = this.seenVersion ?? follower.resourceVersion ?? '';
    return { resourceVersion, timeMs: this.seen.timeMs, handled: [...this.seen.handled] };
  }

  /** Lists can skip what is older. The set is shared, not copied. */
  get cutOff(): CutOff | undefined {
    if (this.resourceVersion === undefined) return undefined;
    return { resourceVersion: this.resourceVersion, timeMs: this.done.timeMs, handled: this.done.handled };
  }

  private advance(): void {
    for (let entry = this.entries[this.first]; entry && entry.pending <= 0; entry = this.entries[this.first]) {
      this.pass(entry);
      this.first++;
    }
    if (this.first < compactAfter && !this.isIdle) return;
    this.entries = this.entries.slice(this.first);
    this.first = 0;
  }

  private pass({ resourceVersion, timeMs, uid }: ObservedWrite): void {
    if (resourceVersion === undefined) {
      this.listed.raise(timeMs, uid);
      return;
    }
    this.resourceVersion = resourceVersion;
    this.done.raise(timeMs, uid);
  }
}

/** The newest second seen, and the objects written in it. */
class LastSecond {
  readonly handled: Set<string>;

  constructor(
    public timeMs: number,
    handled: Iterable<string>,
  ) {
    this.handled = new Set(handled);
  }

  raise(timeMs: number, uid: string): void {
    const at = Math.floor(timeMs / 1000) * 1000;
    if (at < this.timeMs) return;
    if (at > this.timeMs) this.handled.clear();
    this.timeMs = at;
    if (uid !== '' && this.handled.size < maxHandled) this.handled.add(uid);
  }
}
