import type { TagCandidate } from './candidate.ts';

/** Bounds the reads of a first scan, or after many pushes at once: each costs up to three requests. */
export const maxCreatedReads = 100;

/** Dates before this are not real: builders write them to make builds reproducible. */
const firstPlausibleMs = Date.UTC(2000, 0, 1);

/** `created` of an image config as a time; undefined if it has none. */
export function parseCreated(created: unknown): number | undefined {
  if (typeof created !== 'string') return undefined;
  const ms = Date.parse(created);
  return ms >= firstPlausibleMs ? ms : undefined;
}

const standing = { before: 0, last: 1, new: 2 } as const;
const standingOf = ({ seen }: TagCandidate) => (seen === undefined ? 0 : standing[seen]);

/**
 * Positive if `a` is newer. The push time decides if the registry reports it. Otherwise: tags that were not listed
 * before, then the last detected one; among equals the date in the image, then the numbers in the tag, then its text.
 */
export function compareAge(a: TagCandidate, b: TagCandidate): number {
  return (
    (a.pushedAtMs ?? 0) - (b.pushedAtMs ?? 0) ||
    standingOf(a) - standingOf(b) ||
    (a.createdAtMs ?? 0) - (b.createdAtMs ?? 0) ||
    compareTags(a.tag, b.tag)
  );
}

/** Whether `next` is newer than `previous`, which was detected in an earlier scan and may be gone from the registry. */
export function isNewerThan(previous: TagCandidate, next: TagCandidate): boolean {
  if (previous.pushedAtMs !== undefined && next.pushedAtMs !== undefined) return compareAge(next, previous) > 0;
  if (next.seen !== undefined) return next.seen === 'new';
  if (previous.createdAtMs !== undefined && next.createdAtMs !== undefined)
    return (next.createdAtMs - previous.createdAtMs || compareTags(next.tag, previous.tag)) > 0;
  return compareTags(next.tag, previous.tag) > 0;
}

/**
 * Candidates whose date has to be read: those that compete for the first place of their group and differ in nothing
 * else. Groups take turns, highest numbers first, so that a repository with many tags does not use up the reads of the
 * others.
 */
export function planCreatedReads(
  candidates: readonly TagCandidate[],
  groupOf: (candidate: TagCandidate) => string | undefined,
  limit = maxCreatedReads,
): readonly TagCandidate[] {
  const groups = new Map<string, TagCandidate[]>();
  for (const candidate of candidates) {
    const group = candidate.pushedAtMs === undefined ? groupOf(candidate) : undefined;
    if (group === undefined) continue;
    const competitors = groups.get(group);
    const rank = competitors ? standingOf(candidate) - standingOf(competitors[0]!) : 1;
    if (rank > 0) groups.set(group, [candidate]);
    else if (rank === 0) competitors!.push(candidate);
  }
  const queues = [...groups.values()]
    .filter((competitors) => competitors.length > 1)
    .map((competitors) => competitors.sort((a, b) => compareTags(b.tag, a.tag)));
  const planned: TagCandidate[] = [];
  for (let turn = 0; planned.length < limit; turn++) {
    const next = queues.flatMap((competitors) => competitors.slice(turn, turn + 1));
    if (next.length === 0) break;
    planned.push(...next.slice(0, limit - planned.length));
  }
  return planned;
}

/** By the numbers alone, then by the text: `dev-v1.10.0` is after `staging-v1.2.0`. */
export function compareTags(a: string, b: string): number {
  const [left, right] = [a.match(/\d+/g) ?? [], b.match(/\d+/g) ?? []];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [m, n] = [BigInt(x), BigInt(y)];
    if (m !== n) return m < n ? -1 : 1;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
