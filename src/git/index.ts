/**
 * Commits to a branch of a remote repository, with the system's git, started without a shell. It handles files,
 * messages and trailers; it does not know what they are for.
 *
 * Invariants: no force push and no empty commit; no commit of others is lost or rewritten; files stay inside the given
 * folder; secrets are in no command line, log or error; the user's own Git configuration is not used; every command has
 * a time limit.
 */
export { GitError, type GitErrorCode, gitErrors } from './errors.ts';
export { type CommitRequest, createGit, type Git, type GitOptions } from './git.ts';
export { ownPrefix, removeLeftovers } from './leftovers.ts';
export { confinePath } from './path.ts';
export { checkRemote, type GitAuth, type GitRemote } from './remote.ts';
