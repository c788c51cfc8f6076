import type { CutOff } from './trigger.ts';

/** How far one kind's history is done: what survives a restart. */
export interface WatchPosition {
  readonly resourceVersion: string;
  /** The newest time stamp among the writes up to there: the server's clock, not ours. */
  readonly timeMs: number;
  /** Objects written in that very second. */
  readonly handled: readonly string[];
}

export interface ObservedWrite {
  /** Absent for an item of a list, whose order says nothing about time. */
  readonly resourceVersion?: string | undefined;
  readonly timeMs: number;
  readonly uid: string;
}

export interface WatchState {
  readonly resourceVersion: string | undefined;
  readonly listedAtServerMs: number | undefined;
}

interface Entry extends ObservedWrite {
  pending: number;
}

// More writes than this in one second are remembered only in part; the rest may run twice after a crash.
const maxHandled = 512;
const compactAfter = 1024;

/**
 * Follows the work that the events of one kind cause, and says up to where all of it is done. Work that fails is
 * kept elsewhere, so that it ends here as well and holds nothing back.
 */
export class PositionTracker {
  private entries: Entry[] = [];
  private first = 0;
  private resourceVersion: string | undefined;
  private readonly done: Edge;
  /** Everything seen of so far, done or not. */
  private readonly seen: Edge;
  private seenVersion: string | undefined;
  /** What a list seen: counts when all of the list is done. */
  private listed = new Edge(0, []);

  constructor(position?: WatchPosition) {
    this.resourceVersion = position?.resourceVersion;
    this.done = new Edge(position?.timeMs ?? 0, position?.handled ?? []);
    this.seen = new Edge(position?.timeMs ?? 0, position?.handled ?? []);
    this.seenVersion = position?.resourceVersion;
  }

  /** An event with so many pieces of work; the answer is to be called as each ends. */
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

  /** Undefined as long as nothing is certain: before the end of the first list. */
  position({ resourceVersion, listedAtServerMs = 0 }: WatchState): WatchPosition | undefined {
    this.advance();
    if (this.isIdle && resourceVersion !== undefined) {
      this.resourceVersion = resourceVersion;
      for (const uid of this.listed.handled) this.done.raise(this.listed.timeMs, uid);
      this.listed = new Edge(0, []);
      // What was listed was written before the answer; with nothing listed, that is all there is to know.
      if (this.done.timeMs === 0) this.done.raise(listedAtServerMs, '');
    }
    if (this.resourceVersion === undefined) return undefined;
    return { resourceVersion: this.resourceVersion, timeMs: this.done.timeMs, handled: [...this.done.handled] };
  }

  /** Up to where the kind has been observed, whether or not the work is done. */
  observed(follower: WatchState): WatchPosition {
    const resourceVersion = this.seenVersion ?? follower.resourceVersion ?? '';
    return { resourceVersion, timeMs: this.seen.timeMs, handled: [...this.seen.handled] };
  }

  /** Up to where lists need not look; shared, not copied. */
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

/** The newest second seen, and what was written in it. */
class Edge {
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
