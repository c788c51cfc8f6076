/** What one side took for one piece of work. */
export interface Turn {
  /** CPU time of all threads. */
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly peakMb?: number;
  /** What came out of it: both sides must agree, in every turn. */
  readonly outcome: string;
}

export type Side = 'ours' | 'theirs';

/** A piece of work that both sides can do. */
export interface Work {
  readonly title: string;
  /** The other program and its version. */
  readonly peer: string;
  /** Where the same work is done in several sizes, once each: the line of the growth table, and the size. */
  readonly growth?: { readonly of: string; readonly size: string };
  turn(side: Side): Promise<Turn>;
}

export interface Contest {
  readonly works: readonly Work[];
  stop?(): Promise<void>;
}

export interface Scale {
  /** The same work in several sizes, instead of many works in one. */
  readonly growth: boolean;
  progress(line: string): void;
}

/** One row of programs to compare with. */
export interface Comparison {
  readonly name: string;
  /** It has work in several sizes. */
  readonly grows: boolean;
  /** Finds or builds the other program, or says why it cannot be had. */
  open(scale: Scale): Promise<Contest | { readonly reason: string }>;
}

export interface Compared {
  readonly work: Work;
  readonly ours: readonly Turn[];
  /** As many as ours, or none: it would have taken too long. */
  readonly theirs: readonly Turn[];
}

export interface Pace {
  readonly runs: number;
  /** No work that takes a program longer than this is started, by what the size before it took. */
  readonly longestMs: number;
  progress(line: string): void;
}

/** Both sides in turns, and who begins changes: what a busy moment of the machine costs falls on both. */
export async function compare(works: readonly Work[], pace: Pace): Promise<readonly Compared[]> {
  const all: Compared[] = [];
  for (const work of works) {
    const before = all.findLast(
      ({ work: { growth, peer } }) => growth?.of === work.growth?.of && growth && peer === work.peer,
    );
    const isTooLong =
      before !== undefined && (before.theirs.length === 0 || slowest(before.theirs) * 10 > pace.longestMs);
    all.push(await compareOne(work, isTooLong ? ['ours'] : ['ours', 'theirs'], pace));
  }
  return all;
}

const slowest = (turns: readonly Turn[]) => Math.max(...turns.map(({ wallMs }) => wallMs));

async function compareOne(work: Work, sides: readonly Side[], pace: Pace): Promise<Compared> {
  const runs = work.growth ? 1 : pace.runs;
  const turns: Record<Side, Turn[]> = { ours: [], theirs: [] };
  for (let run = 0; run < runs; run++) {
    for (const side of run % 2 === 0 ? sides : sides.toReversed()) {
      const turn = await work.turn(side);
      turns[side].push(turn);
      const name = side === 'ours' ? 'supercargo' : work.peer;
      pace.progress(`${work.title}, run ${run + 1} of ${runs}: ${name} took ${turn.cpuMs.toFixed(3)} ms of CPU`);
    }
    const outcomes = new Set([...turns.ours, ...turns.theirs].map(({ outcome }) => outcome));
    if (outcomes.size > 1)
      throw new Error(`${work.title}: the outcomes differ: ${[...outcomes].join('\n--- against ---\n')}`);
  }
  return { work, ...turns };
}
