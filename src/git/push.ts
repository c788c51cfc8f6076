import { parseCommit } from './commit-object.ts';
import { GitError, type GitErrorCode } from './errors.ts';
import { fetchBase } from './fetch.ts';
import type { Session } from './session.ts';
import { walkBack } from './walk.ts';

/** After these the commit may have arrived all the same: an answer was lost, or a transport tried it twice. */
const uncertain: ReadonlySet<string> = new Set<GitErrorCode>([
  'git-network',
  'git-timeout',
  'git-branch-moved',
  'git-failed',
]);

/**
 * Pushes a commit to the branch, never by force, and looks at the remote afterwards. Throws `git-branch-moved` when
 * someone else was there first; a push that seems to have failed counts when the remote has the commit.
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

/** Whether the branch on the remote is at the commit, or has gone on from it. */
async function hasCommit(session: Session, commit: string): Promise<boolean> {
  // The history between the two has to be here to be compared; a minute more than the commit's own time is enough.
  const { timeMs } = parseCommit(await session.contentOf(commit));
  const tip = (await fetchBase(session, timeMs - 60_000)).commit;
  if (tip === undefined) return false;
  if (await walkBack(session, tip, commit)) return true;
  const args = ['merge-base', '--is-ancestor', commit, tip];
  return (await session.attempt('comparing commits', args)).exitCode === 0;
}
