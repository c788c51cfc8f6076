import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { errorCode, onAbort } from '../base/index.ts';
import { classify } from './classify.ts';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import type { CopyQuota } from './quota.ts';
import type { Redact } from './redact.ts';

export interface GitCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: GitEnvironment;
  readonly input?: Uint8Array;
  /** Names the operation in errors. */
  readonly doing: string;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

export interface ProcessOptions {
  /** The program, found on the PATH of the environment. */
  readonly git: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** Stops a git whose copy grows past a limit of disk space. */
  readonly quota: Pick<CopyQuota, 'watch'>;
}

interface GitEnd {
  readonly exitCode: number;
  readonly stderr: string;
}

export interface GitOutput extends GitEnd {
  readonly stdout: string;
}

/** A running git process. Its caller must read its output. */
export interface RunningGit {
  readonly stdin: Writable;
  readonly stdout: Readable;
  stop(reason: unknown): void;
  /** Resolves when the process has ended, with any exit code; rejects with the reason when it was stopped. */
  readonly ended: Promise<GitEnd>;
}

/** Starts git without a shell; the command's signal stops it. */
export function startGit({ args, cwd, env, signal, ...command }: GitCommand, options: ProcessOptions): RunningGit {
  signal.throwIfAborted();
  // Its own process group, so that ssh and the transport helpers end with it.
  const child = spawn(options.git, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  let failure: unknown;
  const stop = (reason: unknown) => {
    failure ??= reason;
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const endWatch = options.quota.watch(cwd, () => stop(repositoryTooLarge(command)));
  const unlink = onAbort(signal, stop);
  const stderr = collect(child.stderr, options, () => stop(tooLarge(command, options)));
  // Ignore EPIPE: a command that ends before it has read its input is classified by its exit code.
  child.stdin.on('error', () => {});
  child.on('error', (thrown) => {
    failure ??= errorCode(thrown) === 'ENOENT' ? missing(options) : thrown;
  });
  const ended = new Promise<GitEnd>((resolve, reject) => {
    child.on('close', (code) => {
      endWatch();
      unlink();
      if (failure !== undefined) reject(failure);
      else resolve({ exitCode: code ?? -1, stderr: stderr() });
    });
  });
  return { stdin: child.stdin, stdout: child.stdout, stop, ended };
}

/** Runs git to its end; any exit code is a result. */
export async function runGit(command: GitCommand, options: ProcessOptions): Promise<GitOutput> {
  const { stdin, stdout, stop, ended } = startGit(command, options);
  const timer = setTimeout(() => stop(timedOut(command, options)), options.timeoutMs);
  const text = collect(stdout, options, () => stop(tooLarge(command, options)));
  stdin.end(command.input ?? '');
  try {
    const end = await ended;
    return { ...end, stdout: text() };
  } finally {
    clearTimeout(timer);
  }
}

/** The output of a command that must succeed. */
export async function git(command: GitCommand, options: ProcessOptions): Promise<string> {
  const output = await runGit(command, options);
  if (output.exitCode !== 0) throw failed(command, output);
  return output.stdout;
}

type Named = Pick<GitCommand, 'doing' | 'redact'>;

export function failed(
  { doing, redact }: Named,
  { stdout = '', stderr }: GitEnd & { readonly stdout?: string },
): GitError {
  const { code, message } = classify(redact(`${stdout}\n${stderr}`));
  return new GitError(code, redact(`${doing}: ${message}`));
}

function collect(stream: Readable, { maxOutputBytes }: ProcessOptions, onTooLarge: () => void): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutputBytes) onTooLarge();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (thrown) {
    if (errorCode(thrown) !== 'ESRCH') throw thrown;
  }
}

const missing = ({ git: program }: ProcessOptions) =>
  new GitError('git-missing', `there is no ${program} on the PATH: install Git to commit what is generated`);
export const timedOut = ({ doing, redact }: Named, { timeoutMs }: ProcessOptions) =>
  new GitError('git-timeout', redact(`${doing}: git did not end within ${timeoutMs} ms`));
const repositoryTooLarge = ({ doing, redact }: Named) =>
  new GitError(
    'git-repository-too-large',
    redact(`${doing}: the copy exceeds create.maxRepositoryBytes, or all copies exceed create.maxCacheBytes`),
  );
export const tooLarge = ({ doing, redact }: Named, { maxOutputBytes }: ProcessOptions) =>
  new GitError('git-output-too-large', redact(`${doing}: git wrote more than ${maxOutputBytes} bytes`));
