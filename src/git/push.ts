import { parseCommit } from './commit-object.ts';
import { GitError, type GitErrorCode } from './errors.ts';
import { fetchBase } from './fetch.ts';
import type { Session } from './session.ts';
import { walkBack } from './walk.ts';

/** After these errors the commit may have arrived: a response was lost, or the transport retried. */
const uncertain: ReadonlySet<string> = new Set<GitErrorCode>([
  'git-network',
  'git-timeout',
  'git-branch-moved',
  'git-failed',
]);

/**
 * Pushes a commit to the branch, never by force, and verifies the remote afterwards. Throws `git-branch-moved` when
 * another push was first. A push that reports failure counts as a success when the remote has the commit.
 */
export async function push(session: Session, commit: string): Promise<void> {
  const args = ['push', '--porcelain', '--no-verify', '--no-thin', 'origin', `${commit}:${session.remoteRef}`];
  try {
    await session.git('pushing to the branch', args);
  } catch (thrown) {
    if (!(thrown instanceof GitError) || !uncertain.has(thrown.code)) throw thrown;
    if (await hasCommit(session, commit).catch(() => false)) return;
    throw thrown;
  }
  if (!(await hasCommit(session, commit))) {
    throw new GitError(
      'git-branch-moved',
      'pushing to the branch: the commit was accepted, but the branch does not have it',
    );
  }
}

/** Whether the branch on the remote is at the commit or ahead of it. */
async function hasCommit(session: Session, commit: string): Promise<boolean> {
  // Comparing needs the history between the two: fetch it since one minute before the commit's own time.
  const { timeMs } = parseCommit(await session.contentOf(commit));
  const tip = (await fetchBase(session, timeMs - 60_000)).commit;
  if (tip === undefined) return false;
  if (await walkBack(session, tip, commit)) return true;
  const args = ['merge-base', '--is-ancestor', commit, tip];
  return (await session.attempt('comparing commits', args)).exitCode === 0;
}
