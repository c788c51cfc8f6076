import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/supercargo', import.meta.url));
const bundle = fileURLToPath(new URL('../../dist/main.cjs', import.meta.url));

/** A process of ours that a test may kill. */
export interface Program {
  readonly pid: number;
  readonly output: string;
  readonly hasEnded: boolean;
  /** Resolves with what `pick` makes of the output, as soon as it is something; rejects when the process ends before. */
  until<T>(pick: (output: string) => T | undefined, timeoutMs?: number): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and resolves when the process is gone, with its exit code (null when the signal ended it). */
  end(name?: NodeJS.Signals): Promise<number | null>;
  readonly ended: Promise<number | null>;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A shell's line that runs before, `ulimit -f 100`. */
  readonly before?: string;
}

/** Starts the built program with these arguments. */
export function startSupercargo(args: readonly string[], options: ProgramOptions = {}): Program {
  if (!existsSync(bundle)) throw new Error('the program is not built: npm run build');
  return startNode([bin, ...args], options);
}

export function startNode(args: readonly string[], { env = {}, before }: ProgramOptions = {}): Program {
  const command = [process.execPath, ...args] as const;
  const [file, ...rest] = before === undefined ? command : ['/bin/sh', '-c', `${before}; exec "$@"`, 'sh', ...command];
  const child = spawn(file!, rest, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  return new Running(child);
}

class Running implements Program {
  output = '';
  hasEnded = false;
  readonly ended: Promise<number | null>;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
        this.wake();
      });
    }
    const killWithParent = () => child.kill('SIGKILL');
    process.once('exit', killWithParent);
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      // Not at `exit`: what the process wrote last is still in the pipe then.
      child.once('close', (code) => {
        process.off('exit', killWithParent);
        this.hasEnded = true;
        this.wake();
        resolve(code);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  until<T>(pick: (output: string) => T | undefined, timeoutMs = 120_000): Promise<T> {
    return new Promise((resolve, reject) => {
      const finish = (act: () => void) => {
        clearTimeout(timer);
        this.listeners.delete(look);
        act();
      };
      const fail = (why: string) => finish(() => reject(new Error(`${why}; its output:\n${this.output.slice(-4000)}`)));
      const look = () => {
        const found = pick(this.output);
        if (found !== undefined) finish(() => resolve(found));
        else if (this.hasEnded) fail('the process has ended');
      };
      const timer = setTimeout(() => fail(`the process did not say it within ${timeoutMs} ms`), timeoutMs);
      this.listeners.add(look);
      look();
    });
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  end(name: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(name);
    return this.ended;
  }

  private wake(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

export interface ReadyLine {
  readonly event: 'ready';
  readonly kubeconfig: string;
  readonly server: string;
  readonly version: string;
  readonly startupMs: number;
}

/** The line of JSON that `up -o json` prints when ready. */
export function readyLine(output: string): ReadyLine | undefined {
  const line = output.split('\n').find((text) => text.startsWith('{"event":"ready"'));
  return line?.endsWith('}') ? (JSON.parse(line) as ReadyLine) : undefined;
}
