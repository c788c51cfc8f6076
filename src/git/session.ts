import type { GitObject } from './batch-responses.ts';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import type { FoundCommit } from './find.ts';
import { ObjectReader } from './object-reader.ts';
import { failed, type GitCommand, type GitOutput, git, type ProcessOptions, runGit } from './process.ts';
import type { CheckedRemote } from './remote.ts';

/** Cached facts about a clone while the process lives; all of them can be read again. */
export interface RepositoryCache {
  /** Tracking refs whose history is complete since a time. */
  readonly completeSince: Map<string, number>;
  /** Commits that were found by trailer, by ref and trailer. */
  readonly found: Map<string, CachedTrailerSearch>;
}

interface CachedTrailerSearch {
  readonly tip: string;
  readonly sinceMs: number;
  /** Newest first. */
  readonly commits: readonly FoundCommit[];
}

export const createRepositoryCache = (): RepositoryCache => ({ completeSince: new Map(), found: new Map() });

/** One unit of work on the local clone of one remote: its directory, environment and signal. */
export class Session {
  private readonly reader: ObjectReader;

  constructor(
    readonly remote: CheckedRemote,
    /** The bare repository. */
    readonly repository: string,
    private readonly env: GitEnvironment,
    private readonly options: ProcessOptions,
    private readonly signal: AbortSignal,
    readonly cache: RepositoryCache,
  ) {
    this.reader = new ObjectReader(this.command('reading an object', []), options);
  }

  get trackingRef(): string {
    return `refs/remotes/origin/${this.remote.branch}`;
  }

  get remoteRef(): string {
    return `refs/heads/${this.remote.branch}`;
  }

  /** The output of a command that must succeed, without the final line break. */
  async git(doing: string, args: readonly string[], input?: Uint8Array): Promise<string> {
    return (await git(this.command(doing, args, input), this.options)).replace(/\n$/, '');
  }

  /** The output of a command whose failure is a result. */
  attempt(doing: string, args: readonly string[]): Promise<GitOutput> {
    return runGit(this.command(doing, args), this.options);
  }

  failed(doing: string, args: readonly string[], output: GitOutput): Error {
    return failed(this.command(doing, args), output);
  }

  /** An object by its git revision name; undefined when it does not exist. */
  read(name: string): Promise<GitObject | undefined> {
    return this.reader.read(name);
  }

  /** The content of an object that must exist. */
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
