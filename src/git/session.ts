import type { GitEnvironment } from './environment.ts';
import { failed, type GitCommand, type GitOutput, git, type ProcessOptions, runGit } from './process.ts';
import type { CheckedRemote } from './remote.ts';

/** What is known of a copy while the process lives; all of it can be found out again. */
export interface Memory {
  /** Tracking refs whose history is here without a gap since a moment. */
  readonly completeSince: Map<string, number>;
}

/** One stretch of work on the local copy of one remote: its directory, environment and signal. */
export class Session {
  constructor(
    readonly remote: CheckedRemote,
    /** The bare repository. */
    readonly repository: string,
    private readonly env: GitEnvironment,
    private readonly options: ProcessOptions,
    private readonly signal: AbortSignal,
    readonly memory: Memory,
  ) {}

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

  /** The same to the last character. */
  text(doing: string, args: readonly string[]): Promise<string> {
    return git(this.command(doing, args), this.options);
  }

  /** The output of a command whose failure means something. */
  attempt(doing: string, args: readonly string[]): Promise<GitOutput> {
    return runGit(this.command(doing, args), this.options);
  }

  failed(doing: string, args: readonly string[], output: GitOutput): Error {
    return failed(this.command(doing, args), output);
  }

  /** The object of a name, or undefined. */
  async resolve(name: string): Promise<string | undefined> {
    const output = await this.attempt('looking up a commit', ['rev-parse', '--quiet', '--verify', `${name}^{commit}`]);
    return output.exitCode === 0 ? output.stdout.trim() : undefined;
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
