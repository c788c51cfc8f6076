import { spawn } from 'node:child_process';
import { errorCode } from '../base/index.ts';
import { classify } from './classify.ts';
import type { GitEnvironment } from './environment.ts';
import { GitError } from './errors.ts';
import type { Redact } from './redact.ts';

export interface GitCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: GitEnvironment;
  readonly input?: Uint8Array;
  /** Named in errors: what was attempted. */
  readonly doing: string;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

export interface ProcessOptions {
  /** The program; found on the PATH of the environment. */
  readonly git: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs git to its end, without a shell; an exit code is a result. */
export function runGit(command: GitCommand, options: ProcessOptions): Promise<GitOutput> {
  const { args, cwd, env, input, signal } = command;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Its own process group, so that ssh and the transport helpers end with it.
    const child = spawn(options.git, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    let failure: unknown;
    const stop = (reason: unknown) => {
      failure ??= reason;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = setTimeout(() => stop(timeout(command, options)), options.timeoutMs);
    const onAbort = () => stop(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    let size = 0;
    const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > options.maxOutputBytes) stop(tooLarge(command, options));
      else chunks.push(chunk);
    };
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', collect(stdout));
    child.stderr.on('data', collect(stderr));
    // A command that ends before it has read its input is judged by its exit code.
    child.stdin.on('error', () => {});
    child.on('error', (thrown) => {
      failure ??= errorCode(thrown) === 'ENOENT' ? missing(options) : thrown;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (failure !== undefined) reject(failure);
      else resolve({ exitCode: code ?? -1, stdout: textOf(stdout), stderr: textOf(stderr) });
    });
    child.stdin.end(input ?? '');
  });
}

/** The output of a command that has to succeed. */
export async function git(command: GitCommand, options: ProcessOptions): Promise<string> {
  const output = await runGit(command, options);
  if (output.exitCode !== 0) throw failed(command, output);
  return output.stdout;
}

export function failed({ doing, redact }: GitCommand, { stdout, stderr }: GitOutput): GitError {
  const { code, message } = classify(redact(`${stdout}\n${stderr}`));
  return new GitError(code, redact(`${doing}: ${message}`));
}

const textOf = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString('utf8');

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (thrown) {
    if (errorCode(thrown) !== 'ESRCH') throw thrown;
  }
}

const missing = ({ git: program }: ProcessOptions) =>
  new GitError('git-missing', `there is no ${program} on the PATH: install Git to commit what is generated`);
const timeout = ({ doing, redact }: GitCommand, { timeoutMs }: ProcessOptions) =>
  new GitError('git-timeout', redact(`${doing}: git did not end within ${timeoutMs} ms`));
const tooLarge = ({ doing, redact }: GitCommand, { maxOutputBytes }: ProcessOptions) =>
  new GitError('git-output-too-large', redact(`${doing}: git wrote more than ${maxOutputBytes} bytes`));
