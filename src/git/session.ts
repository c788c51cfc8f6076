import type { GitObject } from './batch-answers.ts';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import type { FoundCommit } from './find.ts';
import { ObjectReader } from './object-reader.ts';
import { failed, type GitCommand, type GitOutput, git, type ProcessOptions, runGit } from './process.ts';
import type { CheckedRemote } from './remote.ts';

/** What is known of a copy while the process lives; all of it can be found out again. */
export interface RepositoryCache {
  /** Tracking refs whose history is here without a gap since a moment. */
  readonly completeSince: Map<string, number>;
  /** Commits that were found by a trailer, by ref and trailer. */
  readonly found: Map<string, CachedTrailerSearch>;
}

export interface CachedTrailerSearch {
  readonly tip: string;
  readonly sinceMs: number;
  /** Newest first. */
  readonly commits: readonly FoundCommit[];
}

export const createRepositoryCache = (): RepositoryCache => ({ completeSince: new Map(), found: new Map() });

/** One stretch of work on the local copy of one remote: its directory, environment and signal. */
export class Session {
  private readonly reader: ObjectReader;

  constructor(
    readonly remote: CheckedRemote,
    /** The bare repository. */
    readonly repository: string,
    private readonly env: GitEnvironment,
    private readonly options: ProcessOptions,
    private readonly signal: AbortSignal,
    readonly memory: RepositoryCache,
  ) {
    this.reader = new ObjectReader(this.command('reading an object', []), options);
  }

  get trackingRef(): string {
    return `refs/remotes/origin/${this.remote.branch}`;
  }

  get remoteRef(): string {
    return `refs/heads/${this.remote.branch}`;
  }

  /** The output of a command that has to succeed, without its last line break. */
  async git(doing: string, args: readonly string[], input?: Uint8Array): Promise<string> {
    return (await git(this.command(doing, args, input), this.options)).replace(/\n$/, '');
  }

  /** The output of a command whose failure means something. */
  attempt(doing: string, args: readonly string[]): Promise<GitOutput> {
    return runGit(this.command(doing, args), this.options);
  }

  failed(doing: string, args: readonly string[], output: GitOutput): Error {
    return failed(this.command(doing, args), output);
  }

  /** An object by its name in git's own words; undefined when there is none. */
  read(name: string): Promise<GitObject | undefined> {
    return this.reader.read(name);
  }

  /** What an object holds that has to be there. */
  async contentOf(object: string): Promise<Buffer> {
    const found = await this.read(object);
    if (found === undefined)
      throw new GitError('git-failed', `reading an object: the repository has no ${object}, which it refers to`);
    return found.content;
  }

  /** The commit of a name, or undefined. */
  async resolve(name: string): Promise<string | undefined> {
    return (await this.read(`${name}^{commit}`))?.object;
  }

  close(): Promise<void> {
    return this.reader.close();
  }

  private command(doing: string, args: readonly string[], input?: Uint8Array): GitCommand {
    return {
      args,
      cwd: this.repository,
      env: { ...this.env, GIT_DIR: this.repository },
      doing: `${doing} of ${this.remote.redact(this.remote.url)}`,
      redact: this.remote.redact,
      signal: this.signal,
      ...(input === undefined ? {} : { input }),
    };
  }
}
