import { type Base, deepen, fetchBase } from './fetch.ts';
import type { Session } from './session.ts';

export interface FoundCommit {
  readonly commit: string;
  readonly timeMs: number;
  /** The values of the trailer, in the order of the message. */
  readonly values: readonly string[];
}

const maxCommits = 10_000;

/** Commits of the branch since a moment that carry the trailer, newest first. */
export async function findByTrailer(session: Session, key: string, sinceMs: number): Promise<readonly FoundCommit[]> {
  return readLog(session, await fetchBase(session, sinceMs), { key, sinceMs });
}

/** The same in the past of one commit, whatever the branch has come to since. */
export async function findInHistory(session: Session, base: Base, wanted: Wanted): Promise<readonly FoundCommit[]> {
  if (!base.branchExists) return [];
  await deepen(session, wanted.sinceMs);
  return readLog(session, base, wanted);
}

interface Wanted {
  readonly key: string;
  readonly sinceMs: number;
}

async function readLog(
  session: Session,
  { commit, branchExists }: Base,
  { key, sinceMs }: Wanted,
): Promise<readonly FoundCommit[]> {
  if (commit === undefined || !branchExists) return [];
  const format = `%H%x1f%ct%x1f%(trailers:key=${key},valueonly,separator=%x1f)%x1e`;
  const args = [
    'log',
    `--format=${format}`,
    `--since=${Math.floor(sinceMs / 1000)} +0000`,
    `--max-count=${maxCommits}`,
    commit,
  ];
  const log = await session.git('reading the history', args);
  return log
    .split('\x1e')
    .map((record) => record.trim().split('\x1f'))
    .filter(([found, , first]) => found !== undefined && found !== '' && first !== undefined && first !== '')
    .map(([found, time, ...values]) => ({ commit: found!, timeMs: Number(time) * 1000, values }));
}
