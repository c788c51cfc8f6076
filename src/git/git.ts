import { type AddressPolicy, backoffMs, type Clock, systemClock } from '../base/index.ts';
import { importArguments, parseImportResponse, renderCommitStream } from './commit-stream.ts';
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
  /** Directory of the local clones, for this process alone. */
  readonly cacheDir: string;
  /** Directory of private files while a command runs. */
  readonly temporaryDir: string;
  /** The PATH of git and ssh. */
  readonly path: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Timeout of each command; a first clone of a large repository takes long. */
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  /** Addresses that a remote may have. Default: any. */
  readonly addresses?: AddressPolicy | undefined;
  /** Size limit of the clone of one remote. */
  readonly maxRepositoryBytes?: number | undefined;
  /** How large the copies of all repositories together may become; three times as much as one unless set. */
  readonly maxCacheBytes?: number | undefined;
  readonly git?: string;
}

export interface CommitRequest {
  readonly remote: GitRemote;
  /** The folder that contains all files. Default: the root. */
  readonly folder?: string;
  readonly message: string;
  readonly author: GitIdentity;
  readonly trailers?: readonly GitTrailer[];
  /** Renders the changes from the present content. Called again with the new content whenever the branch has moved. */
  readonly render: (folder: Folder, history: GitHistory) => Promise<readonly FileChange[] | CommitDraft>;
  /** Number of attempts when the branch moves. */
  readonly attempts?: number;
}

/** Changes with their own message, where it depends on the present content. */
interface CommitDraft {
  readonly changes: readonly FileChange[];
  readonly message: string;
  readonly trailers?: readonly GitTrailer[];
}

/** The history of the exact parent of the new commit, so that a concurrent push cannot make it stale. */
interface GitHistory {
  findCommits(trailer: string, sinceMs: number): Promise<readonly FoundCommit[]>;
}

interface CommitResult {
  /** The commit on the remote; undefined when there was nothing to change. */
  readonly commit: string | undefined;
  readonly branchCreated: boolean;
  readonly attempts: number;
}

interface FindRequest {
  readonly remote: GitRemote;
  readonly trailer: string;
  readonly sinceMs: number;
}

export interface Git {
  /** Commits and pushes, fast-forward only. Never creates an empty commit. */
  commit(request: CommitRequest, signal: AbortSignal): Promise<CommitResult>;
  /** Commits with a trailer, newest first: finds what a process pushed before it died. */
  findCommits(request: FindRequest, signal: AbortSignal): Promise<readonly FoundCommit[]>;
  /** Reads files of the branch in their present state. */
  read<T>(remote: GitRemote, folder: string, work: (folder: Folder) => Promise<T>, signal: AbortSignal): Promise<T>;
}

const defaultAttempts = 20;
/** Short pauses: on a busy branch waiting longer does not improve the chances. */
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
          // Jitter separates the writers that lost the race.
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

/** Creates a commit with the changes on the base; undefined when nothing changes. */
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
  return parseImportResponse(await session.git('making a commit', importArguments, input));
}
