import { type AddressPolicy, backoffMs, type Clock, systemClock } from '../base/index.ts';
import { importArguments, parseImportAnswer, renderCommitStream } from './commit-stream.ts';
import { GitError } from './errors.ts';
import { type Base, fetchBase } from './fetch.ts';
import { type FoundCommit, findByTrailer, findInHistory } from './find.ts';
import { type GitIdentity, type GitTrailer, renderIdentity, renderMessage } from './message.ts';
import { push } from './push.ts';
import type { GitRemote } from './remote.ts';
import { RepositoryStore } from './repository.ts';
import type { Session } from './session.ts';
import { type FileChange, Folder } from './tree.ts';

export interface GitOptions {
  /** Where copies of remotes are kept; it belongs to this process alone. */
  readonly cacheDir: string;
  /** Where private files live while a command runs. */
  readonly temporaryDir: string;
  /** The PATH on which git and ssh are found. */
  readonly path: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** For each command; a first clone of a large repository takes its time. */
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Which addresses a remote may have; any when left out. */
  readonly addresses?: AddressPolicy | undefined;
  /** How large the copy of one remote may become. */
  readonly maxRepositoryBytes?: number | undefined;
  /** How large the copies of all repositories together may become; three times as much as one unless set. */
  readonly maxCacheBytes?: number | undefined;
  readonly git?: string;
}

export interface CommitRequest {
  readonly remote: GitRemote;
  /** The folder that files are confined to; the root when left out. */
  readonly folder?: string;
  readonly message: string;
  readonly author: GitIdentity;
  readonly trailers?: readonly GitTrailer[];
  /** What to write, given what is there. Called again whenever the branch has moved, with what is there then. */
  readonly render: (folder: Folder, history: GitHistory) => Promise<readonly FileChange[] | CommitDraft>;
  /** How often a moved branch is tried again. */
  readonly attempts?: number;
}

/** Changes with words of their own, where these depend on what is there. */
export interface CommitDraft {
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly trailers?: readonly GitTrailer[];
}

/** The past of the very commit that a change will stand on: what it tells cannot be outrun by another writer. */
export interface GitHistory {
  findCommits(trailer: string, sinceMs: number): Promise<readonly FoundCommit[]>;
}

export interface CommitResult {
  /** The commit that the remote has; undefined when everything was there already. */
  readonly commit: string | undefined;
  readonly branchCreated: boolean;
  readonly attempts: number;
}

export interface FindRequest {
  readonly remote: GitRemote;
  readonly trailer: string;
  readonly sinceMs: number;
}

export interface Git {
  /** Commits and pushes, fast-forward only; an empty commit is never made. */
  commit(request: CommitRequest, signal: AbortSignal): Promise<CommitResult>;
  /** Commits that carry a trailer, newest first: what a process that died after its push has already done. */
  findCommits(request: FindRequest, signal: AbortSignal): Promise<readonly FoundCommit[]>;
  /** Reads files of the branch as they are now. */
  read<T>(remote: GitRemote, folder: string, work: (folder: Folder) => Promise<T>, signal: AbortSignal): Promise<T>;
}

const defaultAttempts = 20;
/** Short: on a branch that is never quiet the next gap is as good as a later one. */
const moved = { baseMs: 20, maxMs: 1_000, factor: 1.5, jitter: 0.9 };

export function createGit(options: GitOptions): Git {
  const { clock = systemClock, random = Math.random, maxRepositoryBytes = 512 * 1_048_576 } = options;
  const store = new RepositoryStore({
    ...options,
    git: options.git ?? 'git',
    timeoutMs: options.timeoutMs ?? 120_000,
    maxOutputBytes: options.maxOutputBytes ?? 64 * 1_048_576,
    maxRepositoryBytes,
    maxCacheBytes: options.maxCacheBytes ?? 3 * maxRepositoryBytes,
    connectTimeoutSeconds: 15,
  });

  const attemptOnce = async (session: Session, request: CommitRequest, attempts: number): Promise<CommitResult> => {
    const base = await fetchBase(session);
    const folder = new Folder(session, base.commit, request.folder ?? '');
    const rendered = await request.render(folder, {
      findCommits: (trailer, sinceMs) => findInHistory(session, base, { key: trailer, sinceMs }),
    });
    const draft = 'changes' in rendered ? rendered : { ...request, changes: rendered };
    const commit = await makeCommit({ session, base, folder }, draft, request.author, clock.now());
    if (commit !== undefined) await push(session, commit);
    return { commit, branchCreated: commit !== undefined && !base.branchExists, attempts };
  };

  return {
    async commit(request, signal) {
      const limit = request.attempts ?? defaultAttempts;
      for (let attempt = 1; ; attempt++) {
        try {
          return await store.use(request.remote, signal, (session) => attemptOnce(session, request, attempt));
        } catch (thrown) {
          const hasMoved = thrown instanceof GitError && thrown.code === 'git-branch-moved';
          if (!hasMoved || attempt >= limit) throw thrown;
          // Everyone who lost the race comes back at another moment.
          await clock.sleep(backoffMs(attempt - 1, { ...moved, random }), signal);
        }
      }
    },
    findCommits: ({ remote, trailer, sinceMs }, signal) =>
      store.use(remote, signal, (session) => findByTrailer(session, trailer, sinceMs)),
    read: (remote, folder, work, signal) =>
      store.use(remote, signal, async (session) =>
        work(new Folder(session, (await fetchBase(session)).commit, folder)),
      ),
  };
}

interface Place {
  readonly session: Session;
  readonly base: Base;
  readonly folder: Folder;
}

/** A commit with the changes on top of the base; undefined when nothing changes. */
async function makeCommit(
  { session, base, folder }: Place,
  { changes, message: text, trailers = [] }: CommitDraft,
  author: GitIdentity,
  nowMs: number,
): Promise<string | undefined> {
  const message = renderMessage(text, trailers);
  const identity = renderIdentity(author, nowMs);
  if (changes.length === 0) return undefined;
  const checked = await folder.check(changes);
  const input = renderCommitStream({ parent: base.commit, identity, message, changes: checked });
  return parseImportAnswer(await session.git('making a commit', importArguments, input));
}
