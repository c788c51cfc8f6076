import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/index.ts';
import { parseCommit } from './commit-object.ts';
import type { Session } from './session.ts';

export interface WalkedCommit {
  readonly commit: string;
  readonly content: Buffer;
}

/** More than others push while we look; from there on git's own walk is faster. */
const maxSteps = 200;

/**
 * The commits from a tip back to an older one, which is not among them. Undefined where the way is not a plain line of
 * commits that are here, or long: that is for git itself to judge.
 */
export async function walkBack(
  session: Session,
  tip: string,
  end: string,
): Promise<readonly WalkedCommit[] | undefined> {
  const lasts = await lastCommits(session);
  const walked: WalkedCommit[] = [];
  for (let commit = tip; commit !== end; ) {
    if (walked.length === maxSteps || lasts.has(commit)) return undefined;
    const content = (await session.read(commit))?.content;
    const parents = content ? parseCommit(content).parents : [];
    if (content === undefined || parents.length !== 1) return undefined;
    walked.push({ commit, content });
    commit = parents[0]!;
  }
  return walked;
}

/** Commits whose parents were left at the remote. Asking git for one of those would have it fetched. */
async function lastCommits({ repository }: Session): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readFile(join(repository, 'shallow'), 'utf8')).split('\n'));
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return new Set();
    throw thrown;
  }
}
