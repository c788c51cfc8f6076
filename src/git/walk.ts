import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/index.ts';
import { parseCommit } from './commit-object.ts';
import type { Session } from './session.ts';

interface WalkedCommit {
  readonly commit: string;
  readonly content: Buffer;
}

/** More commits than others push in between; beyond that git's own walk is faster. */
const maxSteps = 200;

/**
 * The commits from a tip back to an older commit, which is excluded. Undefined where the history is not linear, not
 * local, or long: git must then compare them itself.
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

/** Commits whose parents are not in the clone. Reading such a parent would make git fetch it. */
async function lastCommits({ repository }: Session): Promise<ReadonlySet<string>> {
  try {
    return new Set((await readFile(join(repository, 'shallow'), 'utf8')).split('\n'));
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return new Set();
    throw thrown;
  }
}
