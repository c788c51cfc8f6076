/**
 * Commits to a branch of a remote repository, with the system's git spawned without a shell. It knows files, messages
 * and trailers, and nothing of what they are for.
 *
 * Invariants: never a force push, never an empty commit; no commit of anyone else is lost or rewritten; files stay
 * inside the given folder; secrets are on no command line, in no log and in no error; nothing of the user's own
 * configuration takes part; every command ends in time.
 */
export { GitError, type GitErrorCode, gitErrors } from './errors.ts';
export type { FoundCommit } from './find.ts';
export {
  type CommitDraft,
  type CommitRequest,
  type CommitResult,
  createGit,
  type FindRequest,
  type Git,
  type GitHistory,
  type GitOptions,
} from './git.ts';
export { ownPrefix, removeLeftovers } from './leftovers.ts';
export type { GitIdentity, GitTrailer } from './message.ts';
export { confinePath } from './path.ts';
export { checkRemote, type GitAuth, type GitRemote } from './remote.ts';
export type { FileChange, Folder as GitFolder } from './tree.ts';
