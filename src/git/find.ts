import { parseCommit, trailersOf } from './commit-object.ts';
import { type Base, deepen, fetchBase } from './fetch.ts';
import type { Session } from './session.ts';
import { walkBack } from './walk.ts';

export interface FoundCommit {
  readonly commit: string;
  readonly timeMs: number;
  /** The values of the trailer, in the order of the message. */
  readonly values: readonly string[];
}

interface Wanted {
  readonly key: string;
  readonly sinceMs: number;
}

const maxCommits = 10_000;
/** Found commits older than this are not cached. */
const keptMs = 24 * 3_600_000;

/** Commits of the branch since a time that have the trailer, newest first. */
export async function findByTrailer(session: Session, key: string, sinceMs: number): Promise<readonly FoundCommit[]> {
  const base = await fetchBase(session, sinceMs);
  return base.branchExists && base.commit !== undefined ? readLog(session, base.commit, { key, sinceMs }) : [];
}

/**
 * The same for the history of one commit, whatever was pushed since. Commits that were read before are not read again.
 */
export async function findInHistory(session: Session, base: Base, wanted: Wanted): Promise<readonly FoundCommit[]> {
  if (!base.branchExists || base.commit === undefined) return [];
  const { key, sinceMs } = wanted;
  await deepen(session, sinceMs);
  const name = `${session.trackingRef} ${key}`;
  const before = session.cache.found.get(name);
  const since = before && before.sinceMs <= sinceMs ? await walkBack(session, base.commit, before.tip) : undefined;
  if (!before || !since) {
    const commits = await readLog(session, base.commit, wanted);
    session.cache.found.set(name, { tip: base.commit, sinceMs, commits });
    return commits;
  }
  const keptSinceMs = Math.max(before.sinceMs, sinceMs - keptMs);
  const newer = since.map(({ commit, content }) => foundIn(commit, content, key)).filter(hasValues);
  const commits = [...newer, ...before.commits].filter(({ timeMs }) => timeMs >= keptSinceMs);
  session.cache.found.set(name, { tip: base.commit, sinceMs: keptSinceMs, commits });
  return commits.filter(({ timeMs }) => timeMs >= sinceMs);
}

async function readLog(session: Session, commit: string, { key, sinceMs }: Wanted): Promise<readonly FoundCommit[]> {
  const since = `--since=${Math.floor(sinceMs / 1000)} +0000`;
  const args = ['log', '-z', '--format=%H%n%ct%n%B', since, `--max-count=${maxCommits}`, commit];
  const log = await session.git('reading the history', args);
  return log
    .split('\0')
    .filter((record) => record !== '')
    .map((record): FoundCommit => {
      const [found = '', time = ''] = record.split('\n', 2);
      const message = record.slice(found.length + time.length + 2);
      return { commit: found, timeMs: Number(time) * 1000, values: trailersOf(message, key) };
    })
    .filter(hasValues);
}

function foundIn(commit: string, content: Buffer, key: string): FoundCommit {
  const { timeMs, message } = parseCommit(content);
  return { commit, timeMs, values: trailersOf(message, key) };
}

const hasValues = ({ values }: FoundCommit) => values.length > 0;
