import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = path.join(root, 'dist/main.cjs');

/** The built program's launcher. */
export const supercargo = path.join(root, 'bin/supercargo');

/** The JSON line that `up -o json` prints when it is ready. */
export interface Ready {
  readonly event: 'ready';
  readonly kubeconfig: string;
  readonly server: string;
  readonly version: string;
  readonly registry: string;
  readonly startupMs: number;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Its HOME and TMPDIR; without it a folder of its own, which goes with the program. */
  readonly home?: string;
  /** A program to start in place of Node, with the arguments before Node's own: `['prlimit', '--fsize=65536']`. */
  readonly wrapper?: readonly string[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The program while it runs; whoever started it ends it. */
export interface Running {
  readonly pid: number;
  readonly home: string;
  readonly exited: Promise<Exit>;
  stdout(): string;
  stderr(): string;
  /** Resolves with what `find` makes of the standard output or error so far, once it makes something of it. */
  until<T>(find: (stdout: string, stderr: string) => T | undefined, timeoutMs?: number): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** Asks for an orderly end, and resolves with how it ended. */
  stop(): Promise<Exit>;
  /** Ends it without asking. */
  kill9(): Promise<Exit>;
}

export interface Program extends Running {
  readonly ready: Ready;
}

export interface Run {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `supercargo` with `-o json` among its arguments and waits for its ready line. */
export async function startProgram(args: readonly string[], options: ProgramOptions = {}): Promise<Program> {
  const running = launch(args, options);
  try {
    const line = await running.until((stdout) => /^\{.*"event":"ready".*\}$/m.exec(stdout)?.[0]);
    return { ...running, ready: JSON.parse(line) as Ready };
  } catch (thrown) {
    await running.kill9();
    throw thrown;
  }
}

/** Runs `supercargo` to its end. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}, input = ''): Promise<Run> {
  const running = launch(args, options, input);
  const { code } = await running.exited;
  return { exitCode: code, stdout: running.stdout(), stderr: running.stderr() };
}

/** Starts `supercargo` and waits for nothing. */
export function launch(args: readonly string[], options: ProgramOptions = {}, input?: string): Running {
  assertBuilt();
  const home = options.home ?? mkdtempSync(path.join(realpathSync(tmpdir()), 'supercargo-e2e-'));
  mkdirSync(home, { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, ...options.env };
  const [command = process.execPath, ...before] = [...(options.wrapper ?? []), process.execPath];
  const child = spawn(command, [...before, supercargo, ...args], { env, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] });
  // A program that ends without reading its input is no failure of the test.
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  const killWithParent = () => kill(child, 'SIGKILL');
  process.once('exit', killWithParent);
  running.add(killWithParent);

  let [stdout, stderr] = ['', ''];
  let exit: Exit | undefined;
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const look of [...watchers]) look();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    changed();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    changed();
  });
  // "close" comes after the last output, "exit" may come before it.
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      exit = { code, signal };
      process.off('exit', killWithParent);
      running.delete(killWithParent);
      if (options.home === undefined) rmSync(home, { recursive: true, force: true });
      changed();
      resolve(exit);
    });
  });

  const until = <T>(find: (stdout: string, stderr: string) => T | undefined, timeoutMs = 60_000) =>
    new Promise<T>((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        watchers.delete(look);
      };
      const fail = (why: string) => {
        done();
        reject(new Error(`supercargo ${args.join(' ')} ${why}\n--- stdout\n${stdout}\n--- stderr\n${stderr}`));
      };
      const look = () => {
        const found = find(stdout, stderr);
        if (found !== undefined) {
          done();
          resolve(found);
        } else if (exit) fail(`ended with ${exit.signal ?? exit.code} before it said what was waited for`);
      };
      const timer = setTimeout(() => fail(`did not say within ${timeoutMs} ms what was waited for`), timeoutMs);
      watchers.add(look);
      look();
    });
  const end = (signal: NodeJS.Signals) => {
    kill(child, signal);
    return exited;
  };

  return {
    pid: child.pid ?? 0,
    home,
    exited,
    stdout: () => stdout,
    stderr: () => stderr,
    until,
    signal: (name) => kill(child, name),
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
  };
}

/** Ends what tests that failed have left running; for the end of a file. */
export function endLeftOvers(): void {
  for (const end of running) end();
}
const running = new Set<() => void>();

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
}

let isFresh = false;

/** Says what to do when the program is missing or older than its source. */
function assertBuilt(): void {
  if (isFresh) return;
  if (!existsSync(main)) throw new Error('the program is not built: run "npm run build" first');
  const builtMs = statSync(main).mtimeMs;
  const newer = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).find(
    (file) => /(?<!\.test)\.ts$/.test(file) && statSync(path.join(root, 'src', file)).mtimeMs > builtMs,
  );
  if (newer !== undefined) throw new Error(`src/${newer} is newer than the program: run "npm run build" first`);
  isFresh = true;
}
